// The worker of the playground: slow methods, dropped meshes and scenes.
import { type Graze, load } from './graze/graze';
import { answerOf, certificateOf, large } from './judge';
import { readGltf } from './gltf';
import { FrameRecorder, type MeshParts, recordEdges, recordRigid } from './record';
import type { Jobs, NamedFile, Progress, Reply, Request } from './work';

type Report = (made: Progress) => void;

const megabyte = 2 ** 20;
// An upper estimate of the memory of allImpacts() per face of a mesh with many contacts.
const bytesPerFace = 700;
const mostBytes = 4096 * megabyte;

// The least time between two reports of the recording of a scene, in milliseconds.
const reportMs = 80;

const seconds = (ms: number) => `${(ms / 1000).toPrecision(3)} s`;

// Returns an answer and how long it took, in milliseconds.
function timed<T>(work: () => T): [T, number] {
  const begin = performance.now();
  const answer = work();
  return [answer, performance.now() - begin];
}

function readFile(graze: Graze, { name, bytes }: NamedFile): MeshParts {
  return /\.(glb|gltf)$/i.test(name) ? readGltf(bytes, name) : graze.readMesh(bytes, name);
}

function same(a: ArrayLike<number>, b: ArrayLike<number>): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; ++i) if (a[i] !== b[i]) return false;
  return true;
}

// Searches a small step, once for each instance of the library: the first call of a function also compiles it, which is
// no part of the times that are shown.
const compiled = new WeakSet<Graze>();
function compileSteps(graze: Graze) {
  if (compiled.has(graze)) return;
  compiled.add(graze);
  const { vertexCount, faces, frames } = graze.generateScene('cloth_on_cone', 500, 3);
  const mesh = graze.makeMesh(vertexCount, faces);
  graze.earliestImpact(mesh, frames[1], frames[2]);
  graze.allImpacts(mesh, frames[1], frames[2]);
  mesh.free();
}

// Finds all contacts of every step and records them. A generated scene has the z axis upwards, and its recording is
// also reported while it grows.
function recordSteps(graze: Graze, title: string, parts: MeshParts, frames: Float64Array[], facts: [string, string][], generated: boolean, report: Report) {
  const need = bytesPerFace * (parts.faces.length / 3) + frames.length * parts.positions.byteLength;
  if (need > mostBytes) {
    throw new Error(`These meshes need about ${Math.round(need / megabyte)} MB; a browser gives a page at most ${mostBytes / megabyte} MB. Use the command: graze step.`);
  }
  const mesh = graze.makeMesh(parts.positions.length / 3, parts.faces, parts.rods);
  try {
    compileSteps(graze);
    const recorder = new FrameRecorder(title, parts, mesh.edges, frames, generated);
    let first = '', contacts = 0, firstMs = 0, allMs = 0, broad = 0, narrow = 0, reported = 0;
    for (let step = 0; step + 1 < frames.length; ++step) {
      const due = generated && performance.now() - reported >= reportMs;
      if (due) reported = performance.now();
      report({ text: `step ${step + 1} of ${frames.length - 1}, ${contacts} contacts`, recording: due ? recorder.finish([], step) : undefined });
      const [earliest, ms] = timed(() => graze.earliestImpact(mesh, frames[step], frames[step + 1]));
      const [all, more] = timed(() => graze.allImpacts(mesh, frames[step], frames[step + 1]));
      if (all.verdict === 'invalid') throw new Error(`${title}: a position is NaN or infinite`);
      firstMs += ms;
      allMs += more;
      broad += all.work.broadSeconds;
      narrow += all.work.narrowSeconds;
      contacts += all.impacts.length;
      if (first === '' && earliest.verdict === 'contact') first = String(step + earliest.toi);
      recorder.addStep(step, all);
    }
    const all: [string, string][] = [
      ...facts,
      ['triangles', String(parts.faces.length / 3)],
      ['first_contact_at', first || 'none'],
      ['contacts', String(contacts)],
      ['finding_the_first', seconds(firstMs)],
      ['finding_all', seconds(allMs)],
      ['broad_phase', seconds(1000 * broad)],
      ['narrow_phase', seconds(1000 * narrow)],
    ];
    return recorder.finish(all, frames.length - 1);
  } finally {
    mesh.free();
  }
}

const jobs: { [K in keyof Jobs]: (graze: Graze, ask: Jobs[K]['ask'], report: Report) => Jobs[K]['answer'] } = {
  answers: (graze, { query, methods, truth, proof }) => ({
    answers: graze.methods().filter(({ name }) => methods.includes(name)).map((method) => {
      const [answer, milliseconds] = timed(() => answerOf(graze, query, method, truth, large.checks));
      return { ...answer, milliseconds };
    }),
    certificate: (proof && certificateOf(graze, query, large.proofChecks)) || [],
  }),

  frames: (graze, { files }, report) => {
    report({ text: 'reading the files' });
    const [all, ms] = timed(() => files.map((file) => readFile(graze, file)));
    const [first] = all;
    all.forEach((other, i) => {
      if (first.positions.length !== other.positions.length)
        throw new Error(`${files[i].name}: has ${other.positions.length / 3} vertices, but ${files[0].name} has ${first.positions.length / 3}; the files must be frames of one mesh`);
      if (!same(first.faces, other.faces) || !same(first.rods, other.rods))
        throw new Error(`${files[i].name}: has other faces than ${files[0].name}; the files must be frames of one mesh`);
    });
    return recordSteps(graze, files.map(({ name }) => name).join(' → '), first, all.map(({ positions }) => positions), [['load', seconds(ms)]], false, report);
  },

  cloth: (graze, { triangles, frames }, report) => {
    const scene = graze.generateScene('cloth_on_cone', triangles, frames);
    const parts = { positions: scene.frames[0], faces: scene.faces, rods: new Uint32Array(0) };
    return recordSteps(graze, 'A cloth on a cone', parts, scene.frames, [], true, report);
  },

  hoop: (graze, { seconds: length }, report) => {
    const run = graze.simulateEdges('hoop');
    try {
      const frames = [run.positions];
      const times = [0];
      let contacts = 0, crossed = 0, computing = 0;
      const record = () => recordEdges('A hoop of cables', times, frames, run.edges, Math.max(...run.radii), [
        ['steps', String(times.length - 1)],
        ['contacts', String(contacts)],
        ['crossings', String(crossed)],
        ['computing', seconds(computing)],
      ]);
      let reported = performance.now();
      while (times[times.length - 1] < length) {
        const [step, ms] = timed(() => run.step(1 / 60));
        computing += ms;
        times.push(step.time);
        frames.push(step.positions);
        contacts += step.contacts;
        crossed += step.crossed ? 1 : 0;
        if (performance.now() - reported < reportMs) continue;
        reported = performance.now();
        report({ text: `${step.time.toFixed(2)} of ${length} s simulated`, recording: record() });
      }
      return record();
    } finally {
      run.free();
    }
  },

  knots: (graze, { from, to, turn }) => {
    const { vertices, faces } = graze.generateModel('knot_2880');
    const body = graze.rigid.makeBody(vertices, faces);
    try {
      const half = (turn * Math.PI) / 360;
      const motions = [
        graze.rigid.linearMotion({}, {}),
        graze.rigid.linearMotion({ translation: from }, { translation: to, rotation: [Math.cos(half), 0, Math.sin(half), 0] }),
      ];
      const [found, ms] = timed(() => graze.rigid.advance(body, motions[0], body, motions[1]));
      const frames = 41;
      const parts = motions.map((motion, i) => ({
        name: `knot ${i + 1}`,
        vertices,
        faces,
        poses: Array.from({ length: frames }, (_, frame) => graze.rigid.poseAt(motion, frame / (frames - 1))),
      }));
      const { verdict, toi } = found.impact;
      return recordRigid('Two rigid knots', parts, found, [
        ['triangles', String((2 * faces.length) / 3)],
        ['verdict', verdict],
        ['contact_at', verdict === 'contact' ? String(toi) : 'none'],
        ['computing', seconds(ms)],
      ]);
    } finally {
      body.free();
    }
  },
};

const post = (reply: Reply) => self.postMessage(reply);
let module: WebAssembly.Module;
let ready: Promise<Graze>;
self.addEventListener('message', async ({ data }: MessageEvent<WebAssembly.Module | Request>) => {
  if (data instanceof WebAssembly.Module) {
    module = data;
    ready = load(module);
    return;
  }
  const { id, job, ask } = data;
  try {
    const graze = await ready;
    post({ id, answer: jobs[job](graze, ask as never, (progress) => post({ id, progress })) });
  } catch (error) {
    // A library that ran out of memory cannot be used again.
    ready = load(module);
    post({ id, error: error instanceof Error ? error.message : String(error) });
  }
});
