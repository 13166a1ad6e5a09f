// Graze for browsers, workers and Node.js: see graze.d.ts for the contract of every call. The arithmetic
// is in graze.wasm; this module copies arrays and translates names.

const KINDS = ['vertex-face', 'edge-edge', 'vertex-edge', 'vertex-vertex', 'edge-face'];
const CORNERS = [8, 8, 6, 4]; // both ends of the step
const VERDICTS = ['separated', 'contact', 'undecided', 'invalid'];
const CONTACT_KINDS = ['unknown', 'interior', 'edge', 'vertex', 'coplanar'];
const NORMS = { '': 0, L2: 1, Linf: 2 };
const PAIR_STATUS = ['complete', 'stopped', 'invalid'];
const BODY_STATUS = ['ok', 'no_triangles', 'too_many_triangles', 'index_out_of_range', 'not_finite', 'too_large',
  'degenerate_triangle', 'not_closed', 'bad_size'];
const IMPACT_BYTES = 64;
const MEGABYTE = 2 ** 20;
const MOST_BYTES = 4096 * MEGABYTE;
// The functions that graze-step.wasm lacks.
const WHOLE_ONLY = ['read_mesh', 'body_new', 'linear_motion', 'screw_motion', 'pose_at', 'advance', 'generated_names',
  'generate_queries', 'generate_scene', 'generate_model', 'edges_new'];

const QUERY_DEFAULTS = {
  tMax: 1, distanceTol: 1e-6, timeTol: 1e-9, maxChecks: 1000000, minSeparation: 0, norm: '', noZeroToi: false,
  method: undefined,
};
const PAIR_DEFAULTS = {
  separation: 0, sharedVertices: false, strayVertices: true, withinGroup: true, isStatic: undefined,
  group: undefined, strategy: undefined,
};
const STEP_DEFAULTS = {
  ...QUERY_DEFAULTS, ...PAIR_DEFAULTS, startContacts: 'report', startCheck: true, maxContacts: 0,
};
const ADVANCE_DEFAULTS = { tMax: 1, threshold: 0, smallestThreshold: false, margin: 0, maxChecks: 1000000 };

// Returns the options with their defaults. An unknown name is an error, so that no option is ignored.
function withDefaults(options, defaults) {
  for (const name of Object.keys(options ?? {})) {
    if (!(name in defaults)) throw new TypeError(`graze: there is no option "${name}" here`);
  }
  return { ...defaults, ...options };
}

function indexOf(list, name, what) {
  const index = list.indexOf(name);
  if (index < 0) throw new RangeError(`graze: there is no ${what} "${name}"; there are ${list.join(', ')}`);
  return index;
}

function count32(value, name) {
  if (!Number.isInteger(value) || value < 0 || value > 0xffffffff) {
    throw new RangeError(`graze: ${name} must be a whole number from 0 to 4294967295, not ${value}`);
  }
  return value;
}

// The answers to a batch, in the layout of the library: 64 bytes each.
export class Impacts {
  #bytes;
  #floats;

  constructor(buffer) {
    this.#bytes = new DataView(buffer);
    this.#floats = new Float64Array(buffer);
    this.length = buffer.byteLength / IMPACT_BYTES;
  }

  verdict(i) { return VERDICTS[this.#bytes.getUint8(IMPACT_BYTES * this.#check(i))]; }
  contactKind(i) { return CONTACT_KINDS[this.#bytes.getUint8(IMPACT_BYTES * this.#check(i) + 1)]; }
  toi(i) { return this.#floats[8 * this.#check(i) + 1]; }
  toiHi(i) { return this.#floats[8 * this.#check(i) + 2]; }
  u(i) { return this.#floats[8 * this.#check(i) + 3]; }
  v(i) { return this.#floats[8 * this.#check(i) + 4]; }
  normal(i) { return [...this.#floats.subarray(8 * this.#check(i) + 5, 8 * i + 8)]; }
  checks(i) { return this.#bytes.getUint32(IMPACT_BYTES * this.#check(i) + 4, true); }
  reachedTol(i) {
    // The exponent and the first five bits of the mantissa of a double; 0xffff is NaN.
    const bits = new DataView(new ArrayBuffer(8));
    bits.setBigUint64(0, BigInt(this.#bytes.getUint16(IMPACT_BYTES * this.#check(i) + 2, true)) << 47n);
    return bits.getFloat64(0);
  }

  at(i) {
    return {
      verdict: this.verdict(i), contactKind: this.contactKind(i), toi: this.toi(i), toiHi: this.toiHi(i),
      u: this.u(i), v: this.v(i), normal: this.normal(i), reachedTol: this.reachedTol(i), checks: this.checks(i),
    };
  }

  *[Symbol.iterator]() {
    for (let i = 0; i < this.length; ++i) yield this.at(i);
  }

  #check(i) {
    if (!Number.isInteger(i) || i < 0 || i >= this.length) throw new RangeError(`graze: no impact ${i} of ${this.length}`);
    return i;
  }
}

// Compiles graze.wasm: from this module's folder, or from bytes, a response or a compiled module.
async function compile(source) {
  if (source instanceof WebAssembly.Module) return source;
  let from = await (source ?? new URL(/* @vite-ignore */ './graze.wasm', import.meta.url));
  if (typeof from === 'string') from = new URL(from, import.meta.url);
  if (from instanceof URL) {
    if (from.protocol === 'file:') {
      const { readFile } = await import(/* @vite-ignore */ 'node:fs/promises');
      from = await readFile(from);
    } else {
      from = await fetch(from);
    }
  }
  if (typeof Response !== 'undefined' && from instanceof Response) {
    if (!from.ok) throw new Error(`graze: ${from.url}: ${from.status} ${from.statusText}`);
    from = await from.arrayBuffer();
  }
  return WebAssembly.compile(from);
}

// Loads the library. See graze.d.ts.
export async function load(source) {
  const module = await compile(source);
  let memory;
  const host = {
    wasi_snapshot_preview1: {
      // Returns the monotonic time in nanoseconds; the library measures its stages by it.
      clock_time_get: (_clock, _precision, address) => {
        new DataView(memory.buffer).setBigUint64(address, BigInt(Math.round(performance.now() * 1e6)), true);
        return 0;
      },
      proc_exit: (code) => { throw new Error(`graze: graze.wasm ended with code ${code}`); },
    },
    env: { emscripten_notify_memory_growth: () => {} },
  };
  // Nothing else is called: the library neither prints nor reads files.
  for (const { module: from, name } of WebAssembly.Module.imports(module)) {
    host[from] ??= {};
    host[from][name] ??= () => { throw new Error(`graze: graze.wasm called ${name}`); };
  }
  const { exports } = await WebAssembly.instantiate(module, host);
  memory = exports.memory;
  exports._initialize?.();
  const absent = () => { throw new Error('graze: graze-step.wasm does not contain this call; load graze.wasm'); };
  return new Graze({ ...Object.fromEntries(WHOLE_ONLY.map((name) => [name, absent])), ...exports });
}

const forgotten = new FinalizationRegistry(({ free, address }) => free(address));

// An array in the memory of the library.
class Allocation {
  #exports;
  #type;
  #address;

  constructor(exports, type, length) {
    this.#exports = exports;
    this.#type = type;
    this.#address = exports.allocate(Math.max(8, length * type.BYTES_PER_ELEMENT)) >>> 0;
    if (this.#address === 0) throw new RangeError(`graze: no memory for ${length * type.BYTES_PER_ELEMENT} bytes`);
    this.length = length;
  }

  // A view, valid until the next call of the library, which may move its memory.
  get array() {
    if (this.#address === 0) throw new Error('graze: the array was released');
    return new this.#type(this.#exports.memory.buffer, this.#address, this.length);
  }

  free() {
    if (this.#address !== 0) this.#exports.release_memory(this.#address);
    this.#address = 0;
  }
}

// Something that the library built and that free() releases: a mesh or a body.
class Handle {
  #address;
  #free;

  constructor(address, free) {
    this.#address = address;
    this.#free = free;
    forgotten.register(this, { free, address }, this);
  }

  get address() {
    if (this.#address === 0) throw new Error('graze: the object was released');
    return this.#address;
  }

  free() {
    if (this.#address === 0) return;
    forgotten.unregister(this);
    this.#free(this.#address);
    this.#address = 0;
  }
}

export class Mesh extends Handle {}
export class Body extends Handle {}
class EdgeRun extends Handle {}

class Graze {
  #x;
  #about;
  #methods;
  #lent = [];
  #stopped = '';

  constructor(exports) {
    this.#x = exports;
    exports.describe();
    this.#about = JSON.parse(this.#text());
    exports.release();
    this.#methods = this.#about.methods.map((method) => method.name);
    this.version = this.#about.version;
    this.rigid = {
      makeBody: (vertices, faces, options) => this.#makeBody(vertices, faces, options),
      linearMotion: (from, to, centre = [0, 0, 0]) => this.#call(() => {
        this.#x.linear_motion(this.#pose(from), this.#pose(to), this.#lend(Float64Array, centre, 3, 'centre'));
        return this.#motionOf(this.#numbers());
      }),
      screwMotion: (from, to) => this.#call(() => {
        this.#x.screw_motion(this.#pose(from), this.#pose(to));
        return this.#motionOf(this.#numbers());
      }),
      poseAt: (motion, t) => this.#call(() => {
        this.#x.pose_at(this.#motion(motion), t);
        return this.#poseOf(this.#numbers());
      }),
      advance: (a, motionA, b, motionB, options) => this.#advance(a, motionA, b, motionB, options),
    };
  }

  methods() {
    return this.#about.methods.map((method) => ({ ...method }));
  }

  strategies() {
    return [...this.#about.strategies];
  }

  get memoryBytes() {
    return this.#x.memory.buffer.byteLength;
  }

  allocate(type, length) {
    return new Allocation(this.#x, type, count32(length, 'length'));
  }

  firstContact(queries, kind, options) {
    return this.#call(() => {
      const k = this.#kind(kind);
      const address = this.#lend(Float64Array, queries, undefined, 'queries');
      const count = this.#count(queries, 3 * CORNERS[k], 'queries');
      this.#x.first_contact(k, address, count, this.#options(withDefaults(options, QUERY_DEFAULTS)));
      return this.#impacts();
    });
  }

  contactTimes(query, kind, options) {
    return this.#call(() => {
      const k = this.#kind(kind);
      const address = this.#lend(Float64Array, query, 3 * CORNERS[k], 'query');
      this.#x.contact_times(k, address, this.#options(withDefaults(options, QUERY_DEFAULTS)));
      const numbers = this.#numbers();
      const intervals = [];
      for (let i = 1; i < numbers.length; i += 5) {
        const [beginLo, beginHi, endLo, endHi, instant] = numbers.subarray(i, i + 5);
        intervals.push({ beginLo, beginHi, endLo, endHi, instant: instant !== 0 });
      }
      return { verdict: VERDICTS[numbers[0]], intervals };
    });
  }

  certificate(query, kind, options) {
    return this.#call(() => {
      const k = this.#kind(kind);
      const address = this.#lend(Float64Array, query, 3 * CORNERS[k], 'query');
      this.#x.certificate(k, address, this.#options(withDefaults(options, QUERY_DEFAULTS)));
      const numbers = this.#numbers();
      let next = 3;
      const take = (count) => [...numbers.subarray(next, next += count)];
      const pieces = [];
      while (next < numbers.length) {
        const end = take(numbers[next++]);
        const direction = Array.from({ length: numbers[next++] }, () =>
          Array.from({ length: numbers[next++] }, () => take(3)));
        pieces.push({ end, direction });
      }
      return { verdict: VERDICTS[numbers[0]], tMax: numbers[1], verified: numbers[2] !== 0, pieces };
    });
  }

  closestPoints(queries, kind, t, norm = 'L2') {
    return this.#call(() => {
      const k = this.#kind(kind);
      const address = this.#lend(Float64Array, queries, undefined, 'queries');
      this.#x.closest_points(k, address, this.#count(queries, 3 * CORNERS[k], 'queries'), t, this.#norm(norm));
      const numbers = this.#numbers();
      return Array.from({ length: numbers.length / 6 }, (_, i) => {
        const [u, v, x, y, z, distance] = numbers.subarray(6 * i, 6 * i + 6);
        return { u, v, normal: [x, y, z], distance };
      });
    });
  }

  makeMesh(vertexCount, faces, rods = []) {
    return this.#call(() => {
      const address = this.#x.mesh_new(count32(vertexCount, 'vertexCount'),
        this.#lend(Uint32Array, faces, undefined, 'faces'), this.#count(faces, 3, 'faces'),
        this.#lend(Uint32Array, rods, undefined, 'rods'), this.#count(rods, 2, 'rods')) >>> 0;
      if (address === 0) throw new RangeError(`graze: a face or a rod names a vertex beyond the ${vertexCount} vertices`);
      const mesh = new Mesh(address, this.#x.mesh_free);
      this.#x.mesh_edges(address);
      mesh.vertexCount = vertexCount;
      mesh.edges = this.#indices();
      return mesh;
    });
  }

  earliestImpact(mesh, start, end, options) {
    return this.#call(() => {
      this.#x.earliest_impact(...this.#step(mesh, start, end, withDefaults(options, STEP_DEFAULTS)));
      const [kind, a, b] = this.#indices();
      const numbers = this.#numbers();
      const impact = this.#impacts().at(0);
      const known = impact.verdict === 'contact' || impact.verdict === 'undecided';
      return {
        ...impact, kind: known ? KINDS[kind] : undefined, a: known ? a : undefined, b: known ? b : undefined,
        point: [...numbers.subarray(5, 8)], work: workOf(numbers),
      };
    });
  }

  allImpacts(mesh, start, end, options) {
    return this.#call(() => {
      this.#x.all_impacts(...this.#step(mesh, start, end, withDefaults(options, STEP_DEFAULTS)));
      const indices = this.#indices();
      const numbers = this.#numbers();
      return {
        verdict: VERDICTS[numbers[0]], toi: numbers[1], complete: numbers[2] !== 0, work: workOf(numbers.subarray(3)),
        impacts: this.#impacts(),
        kind: (i) => KINDS[indices[3 * i]],
        pair: (i) => [indices[3 * i + 1], indices[3 * i + 2]],
        point: (i) => [...numbers.subarray(8 + 3 * i, 11 + 3 * i)],
      };
    });
  }

  collisionFreeStep(mesh, start, end, keepDistance, options) {
    return this.#call(() => {
      const [address, x0, x1, call] = this.#step(mesh, start, end, withDefaults(options, STEP_DEFAULTS));
      return this.#x.collision_free_step(address, x0, x1, keepDistance, call);
    });
  }

  findPairs(mesh, start, end, options) {
    return this.#call(() => {
      const all = { ...STEP_DEFAULTS, ...withDefaults(options, PAIR_DEFAULTS) };
      const status = this.#x.find_pairs(...this.#step(mesh, start, end, all));
      const indices = this.#indices();
      let next = 4;
      const [vertexFace, edgeEdge, vertexEdge, vertexVertex] =
        [0, 1, 2, 3].map((kind) => indices.slice(next, next += 2 * indices[kind]));
      return { status: PAIR_STATUS[status], vertexFace, edgeEdge, vertexEdge, vertexVertex };
    });
  }

  readMesh(bytes, name) {
    return this.#call(() => {
      const text = new TextEncoder().encode(name);
      const good = this.#x.read_mesh(this.#lend(Uint8Array, bytes, undefined, 'bytes'), bytes.length,
        this.#lend(Uint8Array, text, undefined, 'name'), text.length);
      if (!good) throw new Error(this.#text());
      const indices = this.#indices();
      return {
        positions: this.#numbers(), faces: indices.slice(1, 1 + 3 * indices[0]), rods: indices.slice(1 + 3 * indices[0]),
      };
    });
  }

  // Generated queries, scenes and models: for the playground and the tests.
  generated() {
    return this.#call(() => {
      this.#x.generated_names();
      return JSON.parse(this.#text());
    });
  }

  generateQueries(family, kind, count, seed = 1) {
    return this.#call(() => {
      const names = this.#generatedNames('families');
      this.#x.generate_queries(indexOf(names, family, 'family'), indexOf(KINDS.slice(0, 2), kind, 'kind'), count32(count, 'count'), seed);
      return this.#numbers();
    });
  }

  generateScene(scene, triangles, frames) {
    return this.#call(() => {
      const names = this.#generatedNames('scenes');
      this.#x.generate_scene(indexOf(names, scene, 'scene'), count32(triangles, 'triangles'), count32(frames, 'frames'));
      const [vertexCount, ...faces] = this.#indices();
      const all = this.#numbers();
      return {
        vertexCount, faces: Uint32Array.from(faces),
        frames: Array.from({ length: frames }, (_, i) => all.slice(3 * vertexCount * i, 3 * vertexCount * (i + 1))),
      };
    });
  }

  generateModel(model) {
    return this.#call(() => {
      const names = this.#generatedNames('models');
      this.#x.generate_model(indexOf(names, model, 'model'));
      return { vertices: this.#numbers(), faces: this.#indices() };
    });
  }

  // A simulation of edges and cables, a scene of `graze sim`, whose steps are certified.
  simulateEdges(scene, edges = 0) {
    return this.#call(() => {
      const name = new TextEncoder().encode(scene);
      const address = this.#x.edges_new(this.#lend(Uint8Array, name, undefined, 'scene'), name.length, count32(edges, 'edges')) >>> 0;
      if (address === 0) throw new RangeError(`graze: there is no scene of edges "${scene}"`);
      const run = new EdgeRun(address, this.#x.edges_free);
      const numbers = this.#numbers();
      const count = numbers.length / 4;
      run.positions = numbers.slice(0, 3 * count);
      run.radii = numbers.slice(3 * count);
      run.edges = this.#indices();
      run.step = (seconds) => this.#call(() => {
        if (!(seconds > 0 && seconds <= 1)) throw new RangeError(`graze: a step takes above 0 and at most 1 second, not ${seconds}`);
        this.#x.edges_step(run.address, seconds);
        const state = this.#numbers();
        return { time: state[0], crossed: state[1] !== 0, contacts: state[2], positions: state.slice(3) };
      });
      return run;
    });
  }

  // ---- arguments and results

  #generatedNames(list) {
    this.#x.generated_names();
    const names = JSON.parse(this.#text())[list].map((row) => row.name);
    this.#x.release();
    return names;
  }

  // Runs a call, then releases the copies of its arguments and the result in the library. A library whose memory did
  // not suffice has stopped in the middle of a call and cannot be used again.
  #call(work) {
    if (this.#stopped) throw new Error(this.#stopped);
    try {
      return work();
    } catch (error) {
      const lost = error instanceof WebAssembly.Exception; // of C++: what its frames owned is not released
      if (!lost && !(error instanceof WebAssembly.RuntimeError)) throw error;
      this.#stopped = `graze: the library stopped (${lost ? 'exception' : error.message}) with ${Math.round(this.memoryBytes / MEGABYTE)} MB in use, ` +
        `of at most ${MOST_BYTES / MEGABYTE} MB; load it again`;
      throw new Error(this.#stopped, { cause: error });
    } finally {
      if (!this.#stopped) {
        for (const lent of this.#lent) lent.free();
        this.#x.release();
      }
      this.#lent = [];
    }
  }

  // Returns the address of an array of numbers: its own if it lies in the memory of the library, else that
  // of a copy that lasts for this call.
  #lend(type, values, length, name) {
    const array = values instanceof Allocation ? values.array : values;
    if (array?.length === undefined) throw new TypeError(`graze: ${name} must be an array of numbers`);
    if (length !== undefined && array.length !== length) {
      throw new RangeError(`graze: ${name} must have ${length} numbers, not ${array.length}`);
    }
    if (array instanceof type && array.buffer === this.#x.memory.buffer) return array.byteOffset;
    const copy = this.allocate(type, array.length);
    this.#lent.push(copy);
    copy.array.set(array);
    return copy.array.byteOffset;
  }

  #count(values, size, name) {
    if (values.length % size !== 0) {
      throw new RangeError(`graze: ${name} must have a multiple of ${size} numbers, not ${values.length}`);
    }
    return values.length / size;
  }

  #kind(kind) { return indexOf(KINDS.slice(0, 4), kind, 'kind of query'); }

  #norm(norm) {
    if (!(norm in NORMS)) throw new RangeError(`graze: there is no norm "${norm}"; there are L2 and Linf`);
    return NORMS[norm];
  }

  // Writes the struct CallOptions of src/results.h.
  #options(all) {
    const at = { ...STEP_DEFAULTS, ...all };
    const isStatic = at.isStatic ?? [], group = at.group ?? [];
    const staticAt = this.#lend(Uint8Array, isStatic, undefined, 'isStatic');
    const groupAt = this.#lend(Uint32Array, group, undefined, 'group');
    const call = this.allocate(Float64Array, 19);
    this.#lent.push(call);
    if (at.startContacts !== 'report' && at.startContacts !== 'skip') {
      throw new RangeError(`graze: startContacts must be "report" or "skip", not "${at.startContacts}"`);
    }
    call.array.set([
      at.tMax, at.distanceTol, at.timeTol, count32(at.maxChecks, 'maxChecks'), at.minSeparation, this.#norm(at.norm),
      at.noZeroToi ? 1 : 0, at.method === undefined ? -1 : indexOf(this.#methods, at.method, 'method'),
      at.startContacts === 'skip' ? 1 : 0, at.startCheck ? 1 : 0, count32(at.maxContacts, 'maxContacts'),
      at.strategy === undefined ? -1 : indexOf(this.#about.strategies, at.strategy, 'strategy'),
      at.separation, at.sharedVertices ? 1 : 0, at.strayVertices ? 1 : 0, at.withinGroup ? 1 : 0,
      isStatic.length, group.length,
    ]);
    new Uint32Array(this.#x.memory.buffer, call.array.byteOffset + 8 * 18, 2).set([staticAt, groupAt]);
    return call.array.byteOffset;
  }

  #step(mesh, start, end, options) {
    if (!(mesh instanceof Mesh)) throw new TypeError('graze: the first argument must be a mesh of makeMesh()');
    const length = 3 * mesh.vertexCount;
    return [mesh.address, this.#lend(Float64Array, start, length, 'start'),
      this.#lend(Float64Array, end, length, 'end'), this.#options(options)];
  }

  #makeBody(vertices, faces, options) {
    return this.#call(() => {
      const { solid } = withDefaults(options, { solid: false });
      const address = this.#x.body_new(
        this.#lend(Float64Array, vertices, undefined, 'vertices'), this.#count(vertices, 3, 'vertices'),
        this.#lend(Uint32Array, faces, undefined, 'faces'), this.#count(faces, 3, 'faces'), solid ? 1 : 0) >>> 0;
      const body = new Body(address, this.#x.body_free);
      const [status, size] = this.#numbers();
      body.status = BODY_STATUS[status];
      body.problem = this.#text();
      body.size = size;
      return body;
    });
  }

  #advance(a, motionA, b, motionB, options) {
    return this.#call(() => {
      if (!(a instanceof Body) || !(b instanceof Body)) throw new TypeError('graze: bodies must be made by rigid.makeBody()');
      const at = withDefaults(options, ADVANCE_DEFAULTS);
      const call = this.#lend(Float64Array, [at.tMax, at.threshold, at.smallestThreshold ? 1 : 0, at.margin,
        count32(at.maxChecks, 'maxChecks')], 5, 'options');
      this.#x.advance(a.address, this.#motion(motionA), b.address, this.#motion(motionB), call);
      const n = this.#numbers();
      return {
        impact: this.#impacts().at(0), faceA: n[0], faceB: n[1], pointA: [...n.subarray(2, 5)],
        pointB: [...n.subarray(5, 8)], distance: n[8], iterations: n[9], threshold: n[10],
      };
    });
  }

  #poseNumbers({ rotation = [1, 0, 0, 0], translation = [0, 0, 0] }) {
    if (rotation.length !== 4 || translation.length !== 3) {
      throw new RangeError('graze: a pose has a rotation w, x, y, z and a translation x, y, z');
    }
    return [...rotation, ...translation];
  }
  #pose(pose) { return this.#lend(Float64Array, this.#poseNumbers(pose), 7, 'pose'); }
  #motion({ start = {}, centre = [0, 0, 0], velocity = [0, 0, 0], rotation = [0, 0, 0] }) {
    return this.#lend(Float64Array, [...this.#poseNumbers(start), ...centre, ...velocity, ...rotation], 16, 'motion');
  }
  #poseOf(n) { return { rotation: [...n.subarray(0, 4)], translation: [...n.subarray(4, 7)] }; }
  #motionOf(n) {
    return {
      start: this.#poseOf(n), centre: [...n.subarray(7, 10)], velocity: [...n.subarray(10, 13)],
      rotation: [...n.subarray(13, 16)],
    };
  }

  #copy(type, address, count) {
    return new type(this.#x.memory.buffer, address >>> 0, count).slice();
  }
  #numbers() { return this.#copy(Float64Array, this.#x.numbers(), this.#x.number_count()); }
  #indices() { return this.#copy(Uint32Array, this.#x.indices(), this.#x.index_count()); }
  #text() { return new TextDecoder().decode(this.#copy(Uint8Array, this.#x.text(), this.#x.text_length())); }
  #impacts() { return new Impacts(this.#copy(Uint8Array, this.#x.impacts(), IMPACT_BYTES * this.#x.impact_count()).buffer); }
}

function workOf(numbers) {
  const [pairs, startContacts, slabs, broadSeconds, narrowSeconds] = numbers;
  return { pairs, startContacts, slabs, broadSeconds, narrowSeconds };
}
