// Reads the recordings that Graze writes: glTF 2.0 binary with the extension GRAZE_contacts
// (docs/viewer.md). All coordinates are those below the root node of the file.

export type Vector = [number, number, number];

export interface Contact {
  index: number;
  time: number;
  point: Vector;
  normal: Vector | null; // null if unknown
  kind: string;
  bodies: [number, number];
  vertices: [number[], number[]]; // of feature a, of feature b
  names: [number | null, number | null]; // the numbers of the features in the commands; null if none
}

type Indices = Uint16Array | Uint32Array;

export interface Body {
  name: string;
  rigid: boolean;
  color: Vector;
  radius: number; // of the edges and points; 0 if they have no thickness
  vertexCount: number;
  base: Float32Array; // coordinates of the vertices in state 0
  offsets: Float32Array[]; // offsets[s - 1] added to the base gives state s
  stateOfFrame: Uint32Array | null; // null if the body does not deform
  translations: Float32Array; // 3 numbers for each frame, or 3 if constant
  rotations: Float32Array; // quaternions (x, y, z, w), one for each frame, or one if constant
  faces: Indices;
  edges: Indices;
  points: Indices;
}

export interface Recording {
  title: string;
  timeUnit: string;
  zUp: boolean;
  facts: [string, string][];
  times: Float64Array; // of the frames; at least one
  bodies: Body[];
  contacts: Contacts;
}

const headLength = 7; // numbers of a contact in `features` before its vertices
const unnamed = 0xffffffff;

const vectorAt = (values: Float32Array, index: number): Vector => [values[3 * index], values[3 * index + 1], values[3 * index + 2]];

// All contacts in the order of time. at() decodes one contact from the arrays of the file.
export class Contacts {
  readonly mostVertices: number; // the largest number of vertices of a feature
  private readonly start: Uint32Array;

  constructor(
    readonly kinds: string[],
    readonly times: Float64Array,
    readonly points: Float32Array,
    private readonly normals: Float32Array,
    private readonly features: Uint32Array,
  ) {
    this.start = new Uint32Array(times.length);
    let next = 0;
    let most = 0;
    for (let i = 0; i < times.length; ++i) {
      this.start[i] = next;
      const [a, b] = [features[next + 5], features[next + 6]];
      most = Math.max(most, a, b);
      next += headLength + a + b;
    }
    this.mostVertices = most;
  }

  get count() {
    return this.times.length;
  }

  at(index: number): Contact {
    const head = this.start[index];
    const vertices = head + headLength;
    const [kind, a, b, nameA, nameB, countA, countB] = this.features.subarray(head, vertices);
    const named = (name: number) => (name === unnamed ? null : name);
    const normal = vectorAt(this.normals, index);
    return {
      index,
      time: this.times[index],
      point: vectorAt(this.points, index),
      normal: normal.every((x) => x === 0) ? null : normal,
      kind: this.kinds[kind],
      bodies: [a, b],
      vertices: [
        Array.from(this.features.subarray(vertices, vertices + countA)),
        Array.from(this.features.subarray(vertices + countA, vertices + countA + countB)),
      ],
      names: [named(nameA), named(nameB)],
    };
  }

  // Returns the number of contacts up to and including the time.
  upTo(time: number): number {
    let lo = 0;
    let hi = this.count;
    while (lo < hi) {
      const middle = (lo + hi) >> 1;
      if (this.times[middle] <= time) lo = middle + 1;
      else hi = middle;
    }
    return lo;
  }
}

// A recording as the playground posts it to the viewer: the bytes of a file, or plain arrays with the
// arguments of Contacts. `running`: longer recordings of the same bodies follow. `theme`: `light` or `dark`.
export interface PostedRecording {
  recording?: ArrayBuffer | PlainRecording; // absent if only the theme changes
  running: boolean;
  theme: string;
}
export type PlainRecording = Omit<Recording, 'contacts'> & { contacts: ConstructorParameters<typeof Contacts> };

// The members of a glTF file that the viewer reads.
interface Gltf {
  scenes: { nodes: number[] }[];
  nodes: {
    name?: string;
    mesh?: number;
    children?: number[];
    translation?: number[];
    rotation?: number[];
    extras?: { graze_rigid?: boolean; graze_radius?: number };
  }[];
  meshes?: { primitives: Primitive[] }[];
  materials?: { pbrMetallicRoughness?: { baseColorFactor?: [number, number, number, number] } }[];
  animations?: {
    channels: { sampler: number; target: { node: number; path: string } }[];
    samplers: { output: number }[];
  }[];
  accessors: { bufferView: number; byteOffset?: number; componentType: number; count: number; type: string }[];
  bufferViews: { byteOffset?: number; byteLength: number }[];
  extensions?: { GRAZE_contacts?: Extension };
}

interface Primitive {
  attributes: { POSITION: number };
  indices: number;
  mode?: number;
  material?: number;
  targets?: { POSITION: number }[];
}

interface Extension {
  title?: string;
  timeUnit?: string;
  zUp?: boolean;
  facts?: [string, string][];
  kinds?: string[];
  frames?: number;
  times?: number;
  points?: number;
  normals?: number;
  features?: number;
}

interface ArrayType<T> {
  new (buffer: ArrayBuffer, byteOffset: number, length: number): T;
  readonly BYTES_PER_ELEMENT: number;
}

const widths: Record<string, number> = { SCALAR: 1, VEC3: 3, VEC4: 4 };
const modes = { points: 0, edges: 1, faces: 4 };

// Returns the recording in the bytes of a .glb file. Throws an Error that names what is wrong.
export function readRecording(bytes: ArrayBuffer): Recording {
  const header = new DataView(bytes);
  if (bytes.byteLength < 20 || header.getUint32(0, true) !== 0x46546c67) throw new Error('The recording is not a .glb file.');
  const jsonLength = header.getUint32(12, true);
  const json = JSON.parse(new TextDecoder().decode(new Uint8Array(bytes, 20, jsonLength))) as Gltf;
  const binary = 20 + jsonLength + 8;
  const own = json.extensions?.GRAZE_contacts;
  if (!own) throw new Error('The .glb file was not written by Graze: the extension GRAZE_contacts is missing.');

  // Returns an array on the bytes of a buffer view, or a copy where the bytes are not aligned.
  const view = <T>(Type: ArrayType<T>, index: number, offset = 0, count?: number): T => {
    const { byteOffset = 0, byteLength } = json.bufferViews[index];
    const begin = binary + byteOffset + offset;
    const length = count ?? Math.floor(byteLength / Type.BYTES_PER_ELEMENT);
    return begin % Type.BYTES_PER_ELEMENT === 0
      ? new Type(bytes, begin, length)
      : new Type(bytes.slice(begin, begin + length * Type.BYTES_PER_ELEMENT), 0, length);
  };
  const accessor = <T>(Type: ArrayType<T>, index: number): T => {
    const { bufferView, byteOffset, count, type } = json.accessors[index];
    return view(Type, bufferView, byteOffset, count * widths[type]);
  };
  const floats = (index: number) => accessor(Float32Array, index);
  const integers = (index: number): Indices =>
    json.accessors[index].componentType === 5123 ? accessor(Uint16Array, index) : accessor(Uint32Array, index);
  const member = <T>(Type: ArrayType<T>, index: number | undefined): T =>
    index === undefined ? new Type(new ArrayBuffer(0), 0, 0) : view(Type, index);

  const times = member(Float64Array, own.frames);
  const channels = (json.animations ?? []).flatMap(({ channels, samplers }) =>
    channels.map(({ target, sampler }) => ({ ...target, output: samplers[sampler].output })),
  );
  const children = json.nodes[json.scenes[0].nodes[0]].children ?? [];
  const bodies = children.map((index): Body => {
    const node = json.nodes[index];
    const parts = node.mesh === undefined ? [] : (json.meshes?.[node.mesh]?.primitives ?? []);
    const first: Primitive | undefined = parts[0];
    const part = (mode: number): Indices => {
      const found = parts.find((p) => (p.mode ?? modes.faces) === mode);
      return found ? integers(found.indices) : new Uint16Array(0);
    };
    const output = (path: string) => channels.find((channel) => channel.node === index && channel.path === path)?.output;
    const animated = (path: string, constant: number[]) => {
      const found = output(path);
      return found === undefined ? new Float32Array(constant) : floats(found);
    };
    const base = first ? floats(first.attributes.POSITION) : new Float32Array(0);
    const offsets = (first?.targets ?? []).map((target) => floats(target.POSITION));
    let stateOfFrame: Uint32Array | null = null;
    const weights = output('weights');
    if (weights !== undefined) {
      const bytes = accessor(Uint8Array, weights);
      stateOfFrame = new Uint32Array(times.length).map(
        (_, frame) => bytes.subarray(frame * offsets.length, (frame + 1) * offsets.length).indexOf(255) + 1,
      );
    }
    const material = first?.material === undefined ? undefined : json.materials?.[first.material];
    const [red, green, blue] = material?.pbrMetallicRoughness?.baseColorFactor ?? [0.5, 0.5, 0.5];
    return {
      name: node.name ?? '',
      rigid: node.extras?.graze_rigid === true,
      color: [red, green, blue],
      radius: node.extras?.graze_radius ?? 0,
      vertexCount: base.length / 3,
      base,
      offsets,
      stateOfFrame,
      translations: animated('translation', node.translation ?? [0, 0, 0]),
      rotations: animated('rotation', node.rotation ?? [0, 0, 0, 1]),
      faces: part(modes.faces),
      edges: part(modes.edges),
      points: part(modes.points),
    };
  });
  return {
    title: own.title || 'Recording',
    timeUnit: own.timeUnit ?? '',
    zUp: own.zUp === true,
    facts: own.facts ?? [],
    times: times.length ? times : new Float64Array(1),
    bodies,
    contacts: new Contacts(
      own.kinds ?? [],
      member(Float64Array, own.times),
      member(Float32Array, own.points),
      member(Float32Array, own.normals),
      member(Uint32Array, own.features),
    ),
  };
}

// Returns the two frames around a time, and the fraction of the way from the first to the second.
export function frameAt(times: Float64Array, time: number): { from: number; to: number; part: number } {
  let lo = 0;
  let hi = times.length - 1;
  while (hi - lo > 1) {
    const middle = (lo + hi) >> 1;
    if (times[middle] <= time) lo = middle;
    else hi = middle;
  }
  if (time >= times[hi]) return { from: hi, to: hi, part: 0 };
  return { from: lo, to: hi, part: Math.max(0, (time - times[lo]) / (times[hi] - times[lo])) };
}

// Writes the positions of all vertices in a state into an array, and returns the array. State 0 is the
// base.
export function statePositions(body: Body, state: number, into: Float32Array): Float32Array {
  into.set(body.base);
  if (state > 0) {
    const offset = body.offsets[state - 1];
    for (let i = 0; i < into.length; ++i) into[i] += offset[i];
  }
  return into;
}
