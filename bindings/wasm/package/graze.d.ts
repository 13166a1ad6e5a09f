// Graze: exact continuous collision detection, for browsers, workers and Node.js 18 or later.
//
//   import { load } from 'graze';
//   const graze = await load();
//   const impacts = graze.firstContact(queries, 'vertex-face');   // 24 numbers for each query
//   if (impacts.verdict(0) === 'contact') console.log(impacts.toi(0));
//
// Every call runs on the calling thread and returns when it is done; use a worker for long calls. The
// meaning of every answer is that of the C++ library (docs/contract.md). Arguments that do not fit (an array
// of another length, an unknown option or name) throw TypeError or RangeError. Numbers that are NaN or
// infinite, and options outside their range, give the verdict `invalid`.

/** Numbers, copied once into the memory of the library; used in place if they lie there (allocate). */
export type Numbers = ArrayLike<number> | Allocation<Float64Array> | Allocation<Uint32Array>;

export type QueryKind = 'vertex-face' | 'edge-edge' | 'vertex-edge' | 'vertex-vertex';
/** `edge-face`: an edge that pierces a face at the start of a step. */
export type ContactPairKind = QueryKind | 'edge-face';
export type Verdict = 'separated' | 'contact' | 'undecided' | 'invalid';
export type ContactKind = 'unknown' | 'interior' | 'edge' | 'vertex' | 'coplanar';
export type Norm = '' | 'L2' | 'Linf';
export type Vector = [number, number, number];

/** The question about one pair. */
export interface QueryOptions {
  /** Fraction of the step, in (0, 1]; default 1. */
  tMax?: number;
  /** Length > 0; default 1e-6. */
  distanceTol?: number;
  /** Fraction of the step > 0; default 1e-9. */
  timeTol?: number;
  /** Budget of iterative methods, then `undecided`; 0: no limit. Default 1,000,000. */
  maxChecks?: number;
  /** Length >= 0: contact means a distance of at most this. Default 0. */
  minSeparation?: number;
  /** Of minSeparation. Default: that of the method. */
  norm?: Norm;
  /** Conservative methods refine until toi > 0. Default false. */
  noZeroToi?: boolean;
  /** A name of methods(). Default: the exact method. */
  method?: string;
}

/** Which features of a mesh form pairs. */
export interface PairOptions {
  /** Length >= 0; default 0. In a step minSeparation replaces it. */
  separation?: number;
  sharedVertices?: boolean;
  strayVertices?: boolean;
  /** One element per vertex, nonzero for a static vertex. */
  isStatic?: ArrayLike<number>;
  /** One element per vertex: its group. */
  group?: ArrayLike<number>;
  /** If false, vertices of one group do not meet. Default true. */
  withinGroup?: boolean;
  /** A name of strategies(). */
  strategy?: string;
}

/** The question about a step of a mesh. */
export interface StepOptions extends QueryOptions, PairOptions {
  /** What happens to pairs in contact at the start. Default 'report'. */
  startContacts?: 'report' | 'skip';
  /** Whether edges that pierce faces at the start are searched for. Default true. */
  startCheck?: boolean;
  /** Most impacts of allImpacts(); 0: no limit. */
  maxContacts?: number;
}

/** The answer to one query. No contact in [0, toi), whatever the verdict, by exact and conservative methods. */
export interface Impact {
  verdict: Verdict;
  contactKind: ContactKind;
  toi: number;
  toiHi: number;
  u: number;
  v: number;
  normal: Vector;
  reachedTol: number;
  checks: number;
}

/** The answers to a batch, 64 bytes each. An index out of range throws RangeError. */
export class Impacts implements Iterable<Impact> {
  readonly length: number;
  verdict(i: number): Verdict;
  contactKind(i: number): ContactKind;
  toi(i: number): number;
  toiHi(i: number): number;
  u(i: number): number;
  v(i: number): number;
  normal(i: number): Vector;
  reachedTol(i: number): number;
  checks(i: number): number;
  at(i: number): Impact;
  [Symbol.iterator](): Iterator<Impact>;
}

/** An array in the memory of the library, which calls use in place. */
export interface Allocation<T extends ArrayBufferView> {
  readonly length: number;
  /** A view of the array. Valid until the next call of the library: then read `array` again. */
  readonly array: T;
  free(): void;
}

/** A row of the table of methods. */
export interface Method {
  name: string;
  guarantee: 'exact' | 'conservative' | 'heuristic';
  /** If false, toi is 0 on contact. */
  givesTime: boolean;
  /** Of minSeparation; '' if the method takes none. */
  norm: Norm;
  vertexFace: boolean;
  edgeEdge: boolean;
  reference: string;
}

/** A maximal interval of contact. Each end is enclosed by the tightest doubles. */
export interface ContactInterval {
  beginLo: number;
  beginHi: number;
  endLo: number;
  endHi: number;
  instant: boolean;
}

/** A proof that nothing touches. Every number is the exact sum of its terms (graze/certificate.h). */
export interface Certificate {
  verdict: Verdict;
  tMax: number;
  /** Whether the exact checker of the library accepts the proof. */
  verified: boolean;
  pieces: { end: number[]; direction: Vector[][] }[];
}

export interface ClosestPoints {
  u: number;
  v: number;
  normal: Vector;
  distance: number;
}

/** The connectivity of a mesh. free() releases its memory; so does the garbage collector, later. */
export class Mesh {
  private constructor();
  readonly vertexCount: number;
  /** Two vertices for each edge, in the order that impacts refer to. */
  readonly edges: Uint32Array;
  free(): void;
}

export interface StepWork {
  pairs: number;
  startContacts: number;
  slabs: number;
  broadSeconds: number;
  narrowSeconds: number;
}

/** The first impact of a step. kind, a and b are undefined if the verdict is separated or invalid. */
export interface FirstImpact extends Impact {
  kind?: ContactPairKind;
  a?: number;
  b?: number;
  point: Vector;
  work: StepWork;
}

export interface AllImpacts {
  verdict: Verdict;
  toi: number;
  complete: boolean;
  /** Sorted by toi, kind and pair. */
  impacts: Impacts;
  kind(i: number): ContactPairKind;
  pair(i: number): [number, number];
  point(i: number): Vector;
  work: StepWork;
}

/** Two indices for each pair. */
export interface Pairs {
  status: 'complete' | 'stopped' | 'invalid';
  vertexFace: Uint32Array;
  edgeEdge: Uint32Array;
  vertexEdge: Uint32Array;
  vertexVertex: Uint32Array;
}

/** The parts of a mesh file: three numbers per vertex, three vertices per face, two per rod. */
export interface MeshParts {
  positions: Float64Array;
  faces: Uint32Array;
  rods: Uint32Array;
}

export interface Pose {
  /** A quaternion w, x, y, z of any length but 0. Default 1, 0, 0, 0. */
  rotation?: ArrayLike<number>;
  translation?: ArrayLike<number>;
}

/** A motion of constant velocity and angular velocity (graze/rigid/motion.h). All parts default to rest. */
export interface Motion {
  start?: Pose;
  centre?: ArrayLike<number>;
  velocity?: ArrayLike<number>;
  rotation?: ArrayLike<number>;
}

export class Body {
  private constructor();
  /** `ok`, or why the mesh cannot be used: every answer about such a body is `invalid`. */
  readonly status: string;
  readonly problem: string;
  readonly size: number;
  free(): void;
}

export interface AdvanceOptions {
  tMax?: number;
  /** Length >= 0; 0: a thousandth of the size of the larger body. */
  threshold?: number;
  smallestThreshold?: boolean;
  margin?: number;
  maxChecks?: number;
}

export interface BodyImpact {
  impact: Impact;
  faceA: number;
  faceB: number;
  pointA: Vector;
  pointB: Vector;
  distance: number;
  iterations: number;
  threshold: number;
}

export interface Rigid {
  makeBody(vertices: Numbers, faces: Numbers, options?: { solid?: boolean }): Body;
  linearMotion(from: Pose, to: Pose, centre?: ArrayLike<number>): Required<Motion>;
  screwMotion(from: Pose, to: Pose): Required<Motion>;
  poseAt(motion: Motion, t: number): Required<Pose>;
  /** The first contact of two moving bodies: graze/rigid/advance.h. */
  advance(a: Body, motionA: Motion, b: Body, motionB: Motion, options?: AdvanceOptions): BodyImpact;
}

/** A running simulation of edges and cables. No two features touch on the way from one state to the next. */
export interface EdgeRun {
  /** At the start. */
  readonly positions: Float64Array;
  readonly radii: Float64Array;
  readonly edges: Uint32Array;
  /** Advances by a time in (0, 1]. `crossed`: the exact check of the stored step found a contact, which would be a defect. */
  step(seconds: number): { time: number; crossed: boolean; contacts: number; positions: Float64Array };
  free(): void;
}

export interface Named {
  name: string;
  description: string;
}

export interface Graze {
  readonly version: string;
  readonly rigid: Rigid;
  /** The memory of the library, in bytes. It grows and never shrinks; released parts are used again. */
  readonly memoryBytes: number;

  methods(): Method[];
  strategies(): string[];

  /** The first contact of each query: 24 numbers each (vertex-edge 18, vertex-vertex 12), all corners at the
      start, then all corners at the end. */
  firstContact(queries: Numbers, kind: QueryKind, options?: QueryOptions): Impacts;
  /** All times of contact of one query. */
  contactTimes(query: Numbers, kind: QueryKind, options?: QueryOptions): { verdict: Verdict; intervals: ContactInterval[] };
  /** A proof that one query is separated. */
  certificate(query: Numbers, kind: QueryKind, options?: QueryOptions): Certificate;
  /** The closest points of each query at time t in [0, 1]. */
  closestPoints(queries: Numbers, kind: QueryKind, t: number, norm?: Norm): ClosestPoints[];

  makeMesh(vertexCount: number, faces: Numbers, rods?: Numbers): Mesh;
  /** The first impact of a step from positions `start` to `end`, three numbers per vertex. */
  earliestImpact(mesh: Mesh, start: Numbers, end: Numbers, options?: StepOptions): FirstImpact;
  allImpacts(mesh: Mesh, start: Numbers, end: Numbers, options?: StepOptions): AllImpacts;
  collisionFreeStep(mesh: Mesh, start: Numbers, end: Numbers, keepDistance: number, options?: StepOptions): number;
  findPairs(mesh: Mesh, start: Numbers, end: Numbers, options?: PairOptions): Pairs;

  /** Reads a PLY, OBJ, OFF or STL file. Throws Error, "name:line: reason", if the file breaks its format. */
  readMesh(bytes: Uint8Array, name: string): MeshParts;

  /** An array of arbitrary content in the memory of the library. Throws RangeError if there is no memory. */
  allocate<T extends Float64Array | Uint32Array | Uint8Array>(
    type: { new (buffer: ArrayBufferLike, byteOffset: number, length: number): T; readonly BYTES_PER_ELEMENT: number },
    length: number): Allocation<T>;

  /** Generated queries, scenes and models: the same bits as `graze generate`. */
  generated(): { families: Named[]; scenes: Named[]; models: Named[] };
  generateQueries(family: string, kind: 'vertex-face' | 'edge-edge', count: number, seed?: number): Float64Array;
  generateScene(scene: string, triangles: number, frames: number): { vertexCount: number; faces: Uint32Array; frames: Float64Array[] };
  generateModel(model: string): { vertices: Float64Array; faces: Uint32Array };
  /** Starts a scene of edges of `graze sim` (hoop, sticks, ...) with about this number of edges; 0: its default. */
  simulateEdges(scene: string, edges?: number): EdgeRun;
}

/** Loads the library: graze.wasm beside this module, or from an address, bytes, a response or a compiled module.
    load('./graze-step.wasm') loads the smaller module beside this one: queries, pairs and steps alone; readMesh,
    rigid, simulateEdges and the generators throw an Error there. Each call makes a library with a memory of its
    own. */
export function load(source?: URL | string | BufferSource | Response | Promise<Response> | WebAssembly.Module): Promise<Graze>;
