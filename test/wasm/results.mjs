// store(SECTION, VALUE) writes measurements into the JSON file that the environment variable GRAZE_RESULTS names
// (bench/results/browser.json, by `scripts/soak wasm`), with the machine, the date and the commit; without the variable
// nothing is stored. From a shell: node results.mjs SECTION JSON.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import { fileURLToPath } from 'node:url';

const output = (...words) => spawnSync(words[0], words.slice(1), { cwd: fileURLToPath(new URL('.', import.meta.url)), encoding: 'utf8' }).stdout ?? '';

export function store(section, value) {
  const file = process.env.GRAZE_RESULTS;
  if (!file) return;
  const origin = { commit: output('git', 'describe', '--always', '--dirty', '--exclude', '*').trim(), date: new Date().toISOString().slice(0, 10) };
  const machine = {
    cpu: os.cpus()[0].model, cores: os.cpus().length, load: os.loadavg()[0], node: process.versions.node,
    emscripten: output('em++', '--version').match(/\d+\.\d+\.\d+/)?.[0], ...origin,
  };
  const results = fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, 'utf8')) : {};
  fs.writeFileSync(file, JSON.stringify({ ...results, ...origin, [section]: { ...value, machine } }, null, 1) + '\n');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) store(process.argv[2], JSON.parse(process.argv[3]));
