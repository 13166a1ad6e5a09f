// node run_wasi.mjs PROGRAM.wasm [ARGUMENT...]: runs a program that needs no host but WASI.
import { readFile } from 'node:fs/promises';
import { WASI } from 'node:wasi';

const [program, ...rest] = process.argv.slice(2);
const wasi = new WASI({ version: 'preview1', args: [program, ...rest], env: {} });
const { instance } = await WebAssembly.instantiate(await readFile(program), {
  wasi_snapshot_preview1: wasi.wasiImport,
  env: { emscripten_notify_memory_growth() {} },
});
process.exitCode = wasi.start(instance);
