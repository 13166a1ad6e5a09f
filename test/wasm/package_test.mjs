// node package_test.mjs PACKAGE NATIVE [COUNT]
// Tests the package in the folder PACKAGE. NATIVE is the command graze: the answers of the package must have
// the bits of its answers, on COUNT queries (default 300) of each family and kind, and on generated steps;
// on the scenes of GRAZE_DATA where it is set. Exit code 0: passed, 1: failed.
import { spawnSync } from 'node:child_process';
import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

import { store } from './results.mjs';

const [folder, native] = process.argv.slice(2).map((argument) => path.resolve(argument));
const count = Number(process.argv[4] ?? 300);
const { load, Impacts } = await import(pathToFileURL(path.join(folder, 'graze.js')));
const graze = await load();
const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'graze-wasm-'));
const run = (...words) => {
  const done = spawnSync(native, words.map(String), { cwd: scratch, encoding: 'utf8', maxBuffer: 2 ** 30 });
  assert.ok(done.status === 0 || done.status === 1, `graze ${words.join(' ')}: ${done.stderr}`);
  return done.stdout;
};
// Returns the numbers of a little-endian NumPy array of doubles.
const numbersOf = (file) => {
  const bytes = fs.readFileSync(path.join(scratch, file));
  const header = 10 + bytes.readUInt16LE(8);
  return new Float64Array(bytes.buffer.slice(bytes.byteOffset + header, bytes.byteOffset + bytes.length));
};
// Returns the records of `graze query --out R.npy`: 8 doubles, checks, verdict, kind, 2 bytes of padding.
const recordsOf = (file) => {
  const bytes = fs.readFileSync(path.join(scratch, file));
  const header = 10 + bytes.readUInt16LE(8);
  const view = new DataView(bytes.buffer, bytes.byteOffset + header, bytes.length - header);
  assert.match(bytes.toString('latin1', 10, 300), /'toi'.*'toi_hi'.*'u'.*'v'.*'nx'.*'ny'.*'nz'.*'reached_tol'.*'checks', '<u4'.*'verdict', '\|u1'.*'kind', '\|u1'.*'\|V2'/);
  const verdicts = ['separated', 'contact', 'undecided', 'invalid'];
  const kinds = ['unknown', 'interior', 'edge', 'vertex', 'coplanar'];
  const same = (i, doubles, checks, verdict, kind) =>
    doubles.every((x, field) => Object.is(x, view.getFloat64(72 * i + 8 * field, true))) && view.getUint32(72 * i + 64, true) === checks &&
    verdicts[view.getUint8(72 * i + 68)] === verdict && kinds[view.getUint8(72 * i + 69)] === kind;
  return { length: view.byteLength / 72, same };
};
const rowsOf = (file) => fs.readFileSync(path.join(scratch, file), 'utf8').trim().split('\n').slice(1).map((row) => row.split(','));
const number = (word) => (word === '' || word === 'nan' ? NaN : word === 'inf' ? Infinity : Number(word));

// Returns the columns verdict to checks of `graze query --out`, as numbers and words.
const columns = ({ verdict, toi, toiHi, u, v, normal, checks }) => [verdict, toi, toiHi, u, v, ...normal, checks];
const nativeColumns = ([, verdict, toi, toiHi, u, v, nx, ny, nz, , , checks]) => [verdict, ...[toi, toiHi, u, v, nx, ny, nz, checks].map(number)];

const falling = [0.25, 0.25, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0.25, 0.25, -1, 0, 0, 0, 1, 0, 0, 0, 1, 0];
const passing = falling.map((x, i) => (i === 0 || i === 12 ? x + 2 : x));

// Returns a grid of n x n quads in the plane z = height, and a triangle above its middle.
function gridAndTriangle(n) {
  const positions = [], faces = [];
  for (let j = 0; j <= n; ++j) for (let i = 0; i <= n; ++i) positions.push(i / n, j / n, 0);
  const at = (i, j) => j * (n + 1) + i;
  for (let j = 0; j < n; ++j) for (let i = 0; i < n; ++i) faces.push(at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j), at(i + 1, j + 1), at(i, j + 1));
  const first = positions.length / 3;
  positions.push(0.4, 0.4, 1, 0.6, 0.4, 1, 0.5, 0.55, 1);
  faces.push(first, first + 1, first + 2);
  const start = Float64Array.from(positions);
  const end = start.slice();
  for (let v = first; v < first + 3; ++v) end[3 * v + 2] = -1;
  return { start, end, faces: Uint32Array.from(faces), vertexCount: first + 3 };
}

const tests = {
  'a contact and a miss have the fields of the contract'() {
    const impacts = graze.firstContact([...falling, ...passing], 'vertex-face');
    assert.ok(impacts instanceof Impacts && impacts.length === 2);
    assert.deepEqual(impacts.at(0), { verdict: 'contact', contactKind: 'interior', toi: 0.5, toiHi: 0.5, u: 0.25, v: 0.25, normal: [0, 0, 1], reachedTol: NaN, checks: impacts.checks(0) });
    assert.equal(impacts.verdict(1), 'separated');
    assert.equal(impacts.toi(1), Infinity);
    assert.ok(Number.isNaN(impacts.u(1)));
    assert.throws(() => impacts.at(2), RangeError);
  },

  'every method of the command is a method of the package'() {
    const there = JSON.parse(run('methods', '--json'));
    assert.deepEqual(graze.methods().map(({ name, guarantee, givesTime }) => [name, guarantee, givesTime]),
      there.filter(({ name }) => graze.methods().some((method) => method.name === name)).map(({ name, guarantee, gives_time }) => [name, guarantee, gives_time]));
    for (const { name, guarantee, vertexFace } of graze.methods()) {
      if (vertexFace && guarantee !== 'heuristic') assert.notEqual(graze.firstContact(falling, 'vertex-face', { method: name }).verdict(0), 'separated', name);
    }
  },

  'all kinds of queries are answered'() {
    const vertexEdge = [0, 0, 1, -1, 0, 0, 1, 0, 0, 0, 0, -1, -1, 0, 0, 1, 0, 0];
    const vertexVertex = [0, 0, 1, 0, 0, 0, 0, 0, -1, 0, 0, 0];
    assert.equal(graze.firstContact(vertexEdge, 'vertex-edge').toi(0), 0.5);
    assert.equal(graze.firstContact(vertexVertex, 'vertex-vertex').toi(0), 0.5);
    assert.equal(graze.firstContact([], 'edge-edge').length, 0);
  },

  'the library generates the queries of the command'() {
    for (const kind of ['vertex-face', 'edge-edge']) {
      run('generate', 'random', '--kind', kind, '--count', 50, '--seed', 7, '--out', 'q.npy');
      assert.deepEqual(graze.generateQueries('random', kind, 50, 7), numbersOf('q.npy'));
    }
  },

  'answers have the bits of the native library on every family'() {
    const families = graze.generated().families.map(({ name }) => name);
    assert.ok(families.length > 30);
    let contacts = 0, queries = 0;
    for (const family of families) {
      for (const kind of ['vertex-face', 'edge-edge']) {
        run('generate', family, '--kind', kind, '--count', count, '--seed', 1, '--out', 'q.npy');
        run('query', 'q.npy', '--kind', kind, '--threads', 1, '--out', 'r.npy');
        const impacts = graze.firstContact(numbersOf('q.npy'), kind);
        const records = recordsOf('r.npy');
        assert.equal(records.length, impacts.length);
        for (let i = 0; i < records.length; ++i) {
          const verdict = impacts.verdict(i);
          const same = records.same(i, [impacts.toi(i), impacts.toiHi(i), impacts.u(i), impacts.v(i), ...impacts.normal(i), impacts.reachedTol(i)],
            impacts.checks(i), verdict, impacts.contactKind(i));
          assert.ok(same, `${family}, ${kind}, query ${i}: ${JSON.stringify(impacts.at(i))}`);
          contacts += verdict === 'contact';
          ++queries;
        }
      }
    }
    assert.ok(contacts > queries / 10 && contacts < queries, `${contacts} contacts of ${queries}`);
    console.log(`  ${queries} queries, ${contacts} contacts`);
    store('bits', { per_set: count, families: families.length, queries, contacts });
  },

  'separations have the bits of the native library'() {
    const methods = graze.methods().filter(({ guarantee, norm }) => guarantee === 'exact' && norm !== '');
    assert.ok(methods.length >= 2);
    for (const family of ['random', 'simulation_like', 'near_ulp']) {
      run('generate', family, '--kind', 'edge-edge', '--count', 200, '--seed', 2, '--out', 'q.npy');
      for (const { name } of methods) {
        run('query', 'q.npy', '--kind', 'edge-edge', '--method', name, '--min-separation', 0.05, '--out', 'r.csv');
        const impacts = graze.firstContact(numbersOf('q.npy'), 'edge-edge', { minSeparation: 0.05, method: name });
        rowsOf('r.csv').forEach((row, i) => assert.deepEqual(columns(impacts.at(i)), nativeColumns(row), `${family}, ${name}, query ${i}`));
      }
    }
  },

  'steps have the impacts of the native library'() {
    const scenes = [['cloth_on_cone', 3000]];
    for (const [scene, triangles] of scenes) {
      run('generate', scene, '--count', triangles, '--out', 'frames');
      checkStep(path.join(scratch, 'frames/1.ply'), path.join(scratch, 'frames/2.ply'));
    }
    const steps = {};
    const data = process.env.GRAZE_DATA && path.join(process.env.GRAZE_DATA, 'scenes');
    if (!data || !fs.existsSync(data)) return console.log('  GRAZE_DATA is not set: generated scenes alone');
    for (const scene of fs.readdirSync(data)) {
      const frames = path.join(data, scene, 'frames');
      const files = fs.existsSync(frames) ? fs.readdirSync(frames).filter((file) => file.endsWith('.ply')).sort((a, b) => a.localeCompare(b, 'en', { numeric: true })) : [];
      if (files.length >= 2) steps[scene] = checkStep(path.join(frames, files[0]), path.join(frames, files[1]));
    }
    store('steps', { contacts: steps });
  },

  'pairs are those of every strategy'() {
    const { start, end, faces, vertexCount } = gridAndTriangle(6);
    const mesh = graze.makeMesh(vertexCount, faces);
    const [first, ...others] = graze.strategies().map((strategy) => graze.findPairs(mesh, start, end, { strategy }));
    assert.equal(first.status, 'complete');
    assert.ok(first.vertexFace.length > 0 && first.edgeEdge.length > 0);
    for (const other of others) assert.ok(other.vertexFace.length <= first.vertexFace.length);
    assert.equal(graze.findPairs(mesh, start, end, { isStatic: new Uint8Array(vertexCount).fill(1) }).vertexFace.length, 0);
    mesh.free();
    assert.throws(() => graze.findPairs(mesh, start, end), /released/);
  },

  'a step stops before its first impact'() {
    const { start, end, faces, vertexCount } = gridAndTriangle(4);
    const mesh = graze.makeMesh(vertexCount, faces);
    const first = graze.earliestImpact(mesh, start, end);
    assert.equal(first.verdict, 'contact');
    assert.equal(first.toi, 0.5);
    const all = graze.allImpacts(mesh, start, end);
    assert.equal(all.toi, first.toi);
    assert.equal(all.impacts.toi(0), first.toi);
    assert.deepEqual(all.pair(0), [first.a, first.b]);
    assert.equal(all.kind(0), first.kind);
    assert.deepEqual(all.point(0), first.point);
    assert.equal(graze.allImpacts(mesh, start, end, { maxContacts: 1 }).complete, false);
    const free = graze.collisionFreeStep(mesh, start, end, 0.1);
    assert.ok(free > 0.449 && free < 0.451);
    mesh.free();
  },

  'contact times, certificates and closest points agree with the first contact'() {
    const times = graze.contactTimes(falling, 'vertex-face');
    assert.deepEqual(times, { verdict: 'contact', intervals: [{ beginLo: 0.5, beginHi: 0.5, endLo: 0.5, endHi: 0.5, instant: true }] });
    const proof = graze.certificate(passing, 'vertex-face');
    assert.equal(proof.verdict, 'separated');
    assert.ok(proof.verified && proof.pieces.length > 0);
    assert.equal(proof.pieces.at(-1).end[0], 1);
    assert.equal(graze.certificate(falling, 'vertex-face').verdict, 'contact');
    assert.equal(graze.closestPoints(falling, 'vertex-face', 0)[0].distance, 1);
    assert.equal(graze.closestPoints(falling, 'vertex-face', 0.5, 'Linf')[0].distance, 0);
  },

  'rigid bodies advance to contact, and a bad body is named'() {
    const { vertices, faces } = graze.generateModel('cube');
    const body = graze.rigid.makeBody(vertices, faces);
    assert.equal(body.status, 'ok');
    const still = graze.rigid.linearMotion({}, {});
    const towards = graze.rigid.linearMotion({ translation: [4, 0, 0] }, { translation: [0, 0, 0] });
    const found = graze.rigid.advance(body, still, body, towards);
    assert.equal(found.impact.verdict, 'contact');
    assert.ok(Math.abs(found.impact.toi - 0.75) < 1e-3 && found.impact.toi <= 0.75);
    const { translation } = graze.rigid.poseAt(towards, 0.5);
    assert.ok(Math.abs(translation[0] - 2) < 1e-12);
    assert.equal(graze.rigid.advance(body, still, body, graze.rigid.linearMotion({ translation: [4, 0, 0] }, { translation: [4, 3, 0] })).impact.verdict, 'separated');
    const bad = graze.rigid.makeBody(vertices, [0, 1, 99]);
    assert.equal(bad.status, 'index_out_of_range');
    assert.match(bad.problem, /face 0/);
    assert.equal(graze.rigid.advance(bad, still, body, towards).impact.verdict, 'invalid');
    body.free();
    bad.free();
  },

  'mesh files are read, and bad files are refused with their line'() {
    const text = (content) => new TextEncoder().encode(content);
    const obj = graze.readMesh(text('v 0 0 0\nv 1 0 0\nv 0 1.5e0 0\nf 1 2 3\n'), 'a.obj');
    assert.deepEqual([...obj.positions], [0, 0, 0, 1, 0, 0, 0, 1.5, 0]);
    assert.deepEqual([...obj.faces], [0, 1, 2]);
    const numbers = ['0.1', '-1e-320', '1.7976931348623157e308', '4.9e-324', '123456789012345678901234567890', '.5'];
    const read = graze.readMesh(text(numbers.map((x) => `v ${x} 0 0\n`).join('')), 'n.obj');
    numbers.forEach((x, i) => assert.equal(read.positions[3 * i], Number(x), x));
    for (const [name, content, message] of [
      ['b.obj', 'v 0 0 zero\n', /^b\.obj:1: /],
      ['b.obj', 'v 0 0 0x10\n', /^b\.obj:1: /],
      ['b.obj', 'v 0 0 1e999\n', /^b\.obj:1: .*out of range/],
      ['b.obj', 'v 0 0 0\nf 1 2 3\n', /^b\.obj:2: /],
      ['b.ply', 'ply\nformat ascii 1.0\n', /^b\.ply/],
      ['b.off', 'OFF\n3 1 0\n0 0 0\n', /^b\.off/],
      ['b.stl', 'solid\n', /^b\.stl/],
      ['b.txt', '', /mesh files end in/],
      ['b.obj', '', /holds no vertex/],
    ]) assert.throws(() => graze.readMesh(text(content), name), (error) => message.test(error.message), `${name}: ${content}`);
  },

  'arguments that do not fit are refused, and the library stays usable'() {
    for (const call of [
      () => graze.firstContact([1, 2, 3], 'vertex-face'),
      () => graze.firstContact(falling, 'face-face'),
      () => graze.firstContact(falling, 'vertex-face', { tmax: 1 }),
      () => graze.firstContact(falling, 'vertex-face', { method: 'magic' }),
      () => graze.firstContact(falling, 'vertex-face', { maxChecks: -1 }),
      () => graze.firstContact(falling, 'vertex-face', { norm: 'L3' }),
      () => graze.contactTimes([...falling, ...falling], 'vertex-face'),
      () => graze.makeMesh(2, [0, 1, 2]),
      () => graze.earliestImpact({}, [], []),
      () => graze.simulateEdges('nothing'),
    ]) assert.throws(call, (error) => error instanceof TypeError || error instanceof RangeError, String(call));
    for (const options of [{ tMax: 0 }, { tMax: 2 }, { distanceTol: NaN }, { minSeparation: -1 }])
      assert.equal(graze.firstContact(falling, 'vertex-face', options).verdict(0), 'invalid', JSON.stringify(options));
    assert.equal(graze.firstContact(falling.map((x, i) => (i === 3 ? NaN : x)), 'vertex-face').verdict(0), 'invalid');
    assert.equal(graze.firstContact(falling, 'vertex-face').toi(0), 0.5);
  },

  'arrays in the memory of the library are used in place'() {
    const queries = graze.allocate(Float64Array, 48);
    queries.array.set([...falling, ...passing]);
    assert.deepEqual([...graze.firstContact(queries, 'vertex-face')].map(({ verdict }) => verdict), ['contact', 'separated']);
    assert.equal(graze.firstContact(queries.array.subarray(24), 'vertex-face').verdict(0), 'separated');
    queries.free();
    assert.throws(() => queries.array, /released/);
  },

  'the code of the page runs with the package'() {
    const page = fs.readFileSync(new URL('../../docs/browser.md', import.meta.url), 'utf8');
    const blocks = [...page.matchAll(/^```js\n(.*?)^```$/gms)].map(([, code]) => code);
    assert.ok(blocks.length > 0);
    fs.mkdirSync(path.join(scratch, 'node_modules'), { recursive: true });
    fs.symlinkSync(folder, path.join(scratch, 'node_modules/graze'));
    const values = `const [vertexCount, faces, start, end] = [4, [0, 1, 2], [0, 0, 0, 1, 0, 0, 0, 1, 0, 0.25, 0.25, 1],
      [0, 0, 0, 1, 0, 0, 0, 1, 0, 0.25, 0.25, -1]];\n`;
    fs.writeFileSync(path.join(scratch, 'page.mjs'), values + blocks.join('\n'));
    const done = spawnSync(process.execPath, ['--no-warnings', 'page.mjs'], { cwd: scratch, encoding: 'utf8' });
    assert.equal(done.status, 0, done.stderr);
    const [query, step] = done.stdout.trim().split('\n');
    assert.equal(query, page.match(/console\.log\(impacts\..*\/\/ (.*)/)[1]);
    assert.match(step, /^contact 0\.5 vertex-face 3 0$/);
  },

  async 'the module for steps answers alike and names the functions that it lacks'() {
    const small = await load('./graze-step.wasm');
    assert.deepEqual(small.methods(), graze.methods());
    for (const family of ['random', 'near_ulp', 'denormal']) {
      for (const kind of ['vertex-face', 'edge-edge']) {
        const queries = graze.generateQueries(family, kind, 100);
        assert.deepEqual([...small.firstContact(queries, kind)], [...graze.firstContact(queries, kind)]);
        assert.deepEqual(small.contactTimes(queries.subarray(0, 24), kind), graze.contactTimes(queries.subarray(0, 24), kind));
        assert.deepEqual(small.certificate(queries.subarray(0, 24), kind), graze.certificate(queries.subarray(0, 24), kind));
      }
    }
    const { start, end, faces, vertexCount } = gridAndTriangle(6);
    const [a, b] = [graze, small].map((library) => {
      const mesh = library.makeMesh(vertexCount, faces);
      const all = library.allImpacts(mesh, start, end);
      const answer = [[...all.impacts], library.earliestImpact(mesh, start, end).toi, library.findPairs(mesh, start, end), library.collisionFreeStep(mesh, start, end, 0.1)];
      mesh.free();
      return answer;
    });
    assert.deepEqual(a, b);
    for (const call of [
      () => small.readMesh(new Uint8Array(1), 'a.ply'), () => small.rigid.makeBody([], []), () => small.rigid.linearMotion({}, {}),
      () => small.generated(), () => small.generateQueries('random', 'edge-edge', 1), () => small.simulateEdges('hoop'),
    ]) assert.throws(call, /graze-step\.wasm does not contain this call; load graze\.wasm/);
    assert.equal(small.firstContact(falling, 'vertex-face').toi(0), 0.5);
  },

  async 'a call that needs more memory than there is names the numbers'() {
    const other = await load();
    assert.throws(() => other.allocate(Float64Array, 536870911), /no memory for 4294967288 bytes/);
    assert.throws(() => other.generateQueries('random', 'edge-edge', 50000000), /the library stopped \(.*\) with \d+ MB in use, of at most 4096 MB; load it again/);
    assert.throws(() => other.firstContact(falling, 'vertex-face'), /load it again/);
    assert.equal((await load()).firstContact(falling, 'vertex-face').toi(0), 0.5);
  },

  'memory returns to where it was after 1,000 calls'() {
    const { start, end, faces, vertexCount } = gridAndTriangle(5);
    const many = graze.generateQueries('random', 'vertex-face', 300);
    const { vertices, faces: triangles } = graze.generateModel('cube');
    const obj = new TextEncoder().encode('v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n');
    const once = () => {
      graze.firstContact(many, 'vertex-face');
      graze.contactTimes(falling, 'vertex-face');
      graze.certificate(passing, 'vertex-face');
      graze.closestPoints(falling, 'vertex-face', 0.25);
      const mesh = graze.makeMesh(vertexCount, faces);
      graze.allImpacts(mesh, start, end);
      graze.earliestImpact(mesh, start, end);
      graze.collisionFreeStep(mesh, start, end, 0.1);
      graze.findPairs(mesh, start, end);
      mesh.free();
      const body = graze.rigid.makeBody(vertices, triangles);
      graze.rigid.advance(body, graze.rigid.linearMotion({}, {}), body, graze.rigid.screwMotion({ translation: [4, 0, 0] }, {}));
      body.free();
      graze.generateScene('cloth_on_cone', 100, 2);
      graze.readMesh(obj, 'a.obj');
      assert.throws(() => graze.readMesh(new Uint8Array([1]), 'x.ply'));
    };
    for (let i = 0; i < 20; ++i) once();
    // If everything was released, a block of the same size is allocated again at the same address.
    const probe = () => {
      const block = graze.allocate(Uint8Array, 2 ** 20);
      const address = block.array.byteOffset;
      block.free();
      return address;
    };
    const [bytes, address] = [graze.memoryBytes, probe()];
    for (let i = 0; i < 1000; ++i) once();
    assert.equal(graze.memoryBytes, bytes);
    assert.equal(probe(), address);
  },

  'a simulation of edges never crosses'() {
    const hoop = graze.simulateEdges('hoop');
    let state;
    for (let i = 0; i < 6; ++i) {
      state = hoop.step(1 / 60);
      assert.equal(state.crossed, false);
    }
    assert.equal(state.positions.length, hoop.positions.length);
    assert.notDeepEqual(state.positions, hoop.positions);
    hoop.free();
  },

  'the package runs in a worker thread'() {
    const code = `const { parentPort, workerData } = require('node:worker_threads');
      import(workerData).then(async ({ load }) => parentPort.postMessage((await load()).firstContact(${JSON.stringify(falling)}, 'vertex-face').toi(0)));`;
    return import('node:worker_threads').then(({ Worker }) => new Promise((done, fail) => {
      const worker = new Worker(code, { eval: true, workerData: pathToFileURL(path.join(folder, 'graze.js')).href });
      worker.on('error', fail);
      worker.on('message', (toi) => {
        worker.terminate();
        toi === 0.5 ? done() : fail(new Error(`toi ${toi}`));
      });
    }));
  },
};

// Compares all impacts of a step with `graze step --all`. Returns their number.
function checkStep(from, to) {
  const [a, b] = [from, to].map((file) => graze.readMesh(fs.readFileSync(file), file));
  const answer = JSON.parse(run('step', from, to, '--json', '--all', 'all.csv'));
  const mesh = graze.makeMesh(a.positions.length / 3, a.faces, a.rods);
  const all = graze.allImpacts(mesh, a.positions, b.positions);
  const first = graze.earliestImpact(mesh, a.positions, b.positions);
  assert.equal(first.verdict, answer.verdict, from);
  if (first.verdict === 'contact') assert.equal(first.toi, answer.toi, from);
  const [vertices, edges] = [mesh.vertexCount, mesh.edges.length / 2];
  const id = { vertex: (i) => i, edge: (i) => vertices + i, face: (i) => vertices + edges + i };
  const rows = rowsOf('all.csv');
  assert.equal(all.impacts.length, rows.length, from);
  rows.forEach((row, i) => {
    const kind = all.kind(i);
    const ids = all.pair(i).map((index, side) => id[kind.split('-')[side]](index));
    const { toi, toiHi, u, v, normal } = all.impacts.at(i);
    assert.deepEqual([kind, ...ids, toi, toiHi, u, v, ...normal], [row[0], ...row.slice(1).map(number)], `${from}, contact ${i}`);
  });
  mesh.free();
  console.log(`  ${from}: ${rows.length} contacts`);
  return rows.length;
}

let failures = 0;
for (const [name, test] of Object.entries(tests)) {
  const begin = performance.now();
  try {
    await test();
    console.log(`passed (${((performance.now() - begin) / 1000).toFixed(1)} s): ${name}`);
  } catch (error) {
    ++failures;
    console.log(`FAILED: ${name}\n${error.stack}`);
  }
}
fs.rmSync(scratch, { recursive: true });
console.log(failures === 0 ? 'all tests of the package passed' : `${failures} tests failed`);
process.exitCode = failures === 0 ? 0 : 1;
