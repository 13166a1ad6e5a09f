// node speed.mjs PACKAGE SSE4_SPEED START END [ROUNDS]
// Compares the processor time of the package with that of the native program SSE4_SPEED (test/soak/sse4_speed.cpp),
// alternating, on random queries and on the step between two mesh files. Prints medians and their ratios, and stores
// them (results.mjs). Exit code 1 if a ratio is above 2.5.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

import { store } from './results.mjs';

const [folder, native, start, end] = process.argv.slice(2, 6).map((argument) => path.resolve(argument));
const rounds = Number(process.argv[6] ?? 5);
const mostRatio = 2.5;
const count = 100000;
const { load } = await import(pathToFileURL(path.join(folder, 'graze.js')));
const graze = await load();

const milliseconds = (work) => {
  const begin = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(begin);
  return (user + system) / 1000;
};
const [a, b] = [start, end].map((file) => graze.readMesh(fs.readFileSync(file), file));
const mesh = graze.makeMesh(a.positions.length / 3, a.faces, a.rods);
const queries = {};
for (const [name, kind] of [['vertexFace', 'vertex-face'], ['edgeEdge', 'edge-edge']]) {
  const array = graze.allocate(Float64Array, 24 * count);
  const numbers = graze.generateQueries('random', kind, count);
  array.array.set(numbers);
  queries[name] = { array, kind };
}
const work = {
  vertexFace: () => graze.firstContact(queries.vertexFace.array, 'vertex-face'),
  edgeEdge: () => graze.firstContact(queries.edgeEdge.array, 'edge-edge'),
  earliest: () => graze.earliestImpact(mesh, a.positions, b.positions),
  all: () => graze.allImpacts(mesh, a.positions, b.positions),
};
for (const call of Object.values(work)) for (let i = 0; i < 3; ++i) call(); // compiled by the optimizing compiler

const here = [], there = [];
for (let round = 0; round < rounds; ++round) {
  there.push(JSON.parse(execFileSync(native, [start, end, String(count)], { encoding: 'utf8' })));
  here.push(Object.fromEntries(Object.entries(work).map(([name, call]) => [name, milliseconds(call)])));
}
const median = (list) => list.sort((x, y) => x - y)[Math.floor(list.length / 2)];
const scene = path.basename(path.dirname(path.dirname(start)));
const titles = {
  vertexFace: '100,000 random vertex-face queries', edgeEdge: '100,000 random edge-edge queries',
  earliest: `first impact of ${scene}`, all: `all contacts of ${scene}`,
};
const rows = [];
for (const name of Object.keys(work)) {
  const unit = name in queries ? 1e6 / count : 1;
  const [wasm, sse4] = [unit * median(here.map((row) => row[name])), median(there.map((row) => row[name]))];
  const words = name in queries ? 'ns per query' : 'ms';
  console.log(`${name.padEnd(12)} wasm ${wasm.toFixed(1)}, native SSE4 ${sse4.toFixed(1)} ${words}, ratio ${(wasm / sse4).toFixed(2)}`);
  rows.push({ work: titles[name], unit: words, wasm, sse4 });
  if (wasm / sse4 > mostRatio) process.exitCode = 1;
}
store('speed', { rounds, rows });
if (process.exitCode) console.log(`a ratio is above ${mostRatio}`);
