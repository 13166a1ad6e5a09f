// node wasm_door.mjs PACKAGE FOLDER ANSWERS: answers the inputs of agreement_test.py with the package for browsers.
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const [folder, inputs, answers] = process.argv.slice(2).map((argument) => path.resolve(argument));
const { load } = await import(pathToFileURL(path.join(folder, 'graze.js')));
const graze = await load();
const FIELDS = ['toi', 'toi_hi', 'u', 'v', 'nx', 'ny', 'nz'];
// JavaScript does not write the sign of 0 by default.
const text = (x) => (Object.is(x, -0) ? '-0' : String(x));
const fieldsOf = ({ toi, toiHi, u, v, normal }) => [toi, toiHi, u, v, ...normal].map(text);
const write = (name, rows) => fs.writeFileSync(path.join(answers, name), rows.map((row) => row.join(',') + '\n').join(''));

for (const kind of ['vertex-face', 'edge-edge']) {
  const bytes = fs.readFileSync(path.join(inputs, `${kind}.npy`));
  const header = 10 + bytes.readUInt16LE(8);
  const numbers = new Float64Array(bytes.buffer.slice(bytes.byteOffset + header, bytes.byteOffset + bytes.length));
  const impacts = [...graze.firstContact(numbers, kind)];
  const rows = [['query', 'answer', 'value']];
  for (let i = 0; i < impacts.length; ++i) {
    const query = numbers.subarray(24 * i, 24 * i + 24);
    const add = (answer, values) => rows.push(...values.map((value) => [i, answer, typeof value === 'number' ? text(value) : value]));
    const { verdict, intervals } = graze.contactTimes(query, kind);
    add('times', [verdict, ...intervals.flatMap(({ beginLo, beginHi, endLo, endHi, instant }) => [beginLo, beginHi, endLo, endHi, Number(instant)])]);
    add('closest points', ['L2', 'Linf'].flatMap((norm) => {
      const [{ u, v, normal, distance }] = graze.closestPoints(query, kind, 0.37, norm);
      return [u, v, ...normal, distance];
    }));
    const proof = graze.certificate(query, kind, { maxChecks: 50 });
    add('certificate', [proof.verdict, ...proof.pieces.flatMap(({ end, direction }) =>
      [end.length, ...end, direction.length, ...direction.flatMap((terms) => [terms.length, ...terms.flat()])])]);
  }
  write(`${kind}-exact.csv`, rows);
  write(`${kind}.csv`, [['index', 'verdict', ...FIELDS, 'kind'],
    ...impacts.map((impact, i) => [i, impact.verdict, ...fieldsOf(impact), impact.contactKind])]);
}
for (const line of fs.readFileSync(path.join(inputs, 'steps.txt'), 'utf8').trim().split('\n')) {
  const [name, separation] = line.split(' ');
  const [a, b] = [0, 1].map((frame) => graze.readMesh(fs.readFileSync(path.join(inputs, `${name}-${frame}.ply`)), `${name}.ply`));
  const mesh = graze.makeMesh(a.positions.length / 3, a.faces, a.rods);
  const options = { minSeparation: Number(separation) };
  const first = graze.earliestImpact(mesh, a.positions, b.positions, options);
  fs.writeFileSync(path.join(answers, `${name}.json`), JSON.stringify({ verdict: first.verdict, toi: text(first.toi) }));
  const all = graze.allImpacts(mesh, a.positions, b.positions, options);
  const edges = mesh.edges.length / 2;
  const ids = { vertex: 0, edge: mesh.vertexCount, face: mesh.vertexCount + edges };
  const rows = [['kind', 'a', 'b', ...FIELDS]];
  for (let i = 0; i < all.impacts.length; ++i) {
    const kind = all.kind(i);
    rows.push([kind, ...all.pair(i).map((index, side) => ids[kind.split('-')[side]] + index), ...fieldsOf(all.impacts.at(i))]);
  }
  write(`${name}.csv`, rows);
  mesh.free();
}
