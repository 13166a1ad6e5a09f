// Reads the recordings that Graze writes: glTF 2.0 binary with the extension GRAZE_contacts
// (docs/viewer.md). Everything stays in the coordinates of the file's root node.

export interface Contact {
  index: number;
  time: number;
  point: [number, number, number];
  normal: [number, number, number] | null;
  kind: string;
  bodies: [number, number];
  vertices: [number[], number[]];
  names: [number | null, number | null]; // the numbers by which a user knows the features
}

export interface Body {
  name: string;
  rigid: boolean;
  color: [number, number, number];
  radius: number; // of its edges and points; 0: thin
  vertexCount: number;
  base: Float32Array; // at rest, or of the first state
  offsets: Float32Array[]; // of the other states, from the base
  stateOfFrame: Uint32Array | null; // none: it rests
  translations: Float32Array; // of each frame, or one
  rotations: Float32Array;
  faces: Uint16Array | Uint32Array;
  edges: Uint16Array | Uint32Array;
  points: Uint16Array | Uint32Array;
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

const head = 7; // numbers of a contact before its vertices

// Contacts in the order of time, taken out of their arrays when they are asked for.
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
      next += head + a + b;
    }
    this.mostVertices = most;
  }

  get count() {
    return this.times.length;
  }

  at(index: number): Contact {
    const f = this.start[index];
    const [kind, a, b, nameA, nameB, na, nb] = this.features.subarray(f, f + head);
    const named = (name: number) => (name === 0xffffffff ? null : name);
    const normal = Array.from(this.normals.subarray(3 * index, 3 * index + 3)) as [number, number, number];
    return {
      index,
      time: this.times[index],
      point: Array.from(this.points.subarray(3 * index, 3 * index + 3)) as [number, number, number],
      normal: normal.every((x) => x === 0) ? null : normal,
      kind: this.kinds[kind],
      bodies: [a, b],
      vertices: [
        Array.from(this.features.subarray(f + head, f + head + na)),
        Array.from(this.features.subarray(f + head + na, f + head + na + nb)),
      ],
      names: [named(nameA), named(nameB)],
    };
  }

  // The number of contacts up to and including this time.
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

/* eslint-disable @typescript-eslint/no-explicit-any */
export function readRecording(bytes: ArrayBuffer): Recording {
  const head = new DataView(bytes);
  if (bytes.byteLength < 20 || head.getUint32(0, true) !== 0x46546c67) throw new Error('This is not a .glb file.');
  const jsonLength = head.getUint32(12, true);
  const json: any = JSON.parse(new TextDecoder().decode(new Uint8Array(bytes, 20, jsonLength)));
  const bin = 20 + jsonLength + 8;
  const own = json.extensions?.GRAZE_contacts;
  if (!own) throw new Error('This file has no recording of Graze in it (extension GRAZE_contacts).');

  const view = <T>(Type: { new (b: ArrayBuffer, o: number, n: number): T; BYTES_PER_ELEMENT: number }, index: number, offset = 0, count?: number): T => {
    const v = json.bufferViews[index];
    const begin = bin + (v.byteOffset ?? 0) + offset;
    const length = count ?? Math.floor(v.byteLength / Type.BYTES_PER_ELEMENT);
    // What does not lie on a multiple of its size is copied there.
    return begin % Type.BYTES_PER_ELEMENT === 0
      ? new Type(bytes, begin, length)
      : new Type(bytes.slice(begin, begin + length * Type.BYTES_PER_ELEMENT), 0, length);
  };
  const accessor = (index: number): any => {
    const a = json.accessors[index];
    const Type = { 5121: Uint8Array, 5123: Uint16Array, 5125: Uint32Array, 5126: Float32Array }[a.componentType as 5126];
    const width = { SCALAR: 1, VEC3: 3, VEC4: 4 }[a.type as 'SCALAR'];
    return view(Type as any, a.bufferView, a.byteOffset ?? 0, a.count * width);
  };
  const named = <T>(Type: any, key: string): T => (own[key] === undefined ? new Type(0) : view(Type, own[key])) as T;

  const times = named<Float64Array>(Float64Array, 'frames');
  const channels: any[] = (json.animations ?? []).flatMap((animation: any) =>
    animation.channels.map((channel: any) => ({ ...channel.target, output: animation.samplers[channel.sampler].output })),
  );
  const none = new Uint16Array(0);
  const bodies = (json.nodes[json.scenes[0].nodes[0]].children ?? []).map((index: number): Body => {
    const node = json.nodes[index];
    const parts: any[] = node.mesh === undefined ? [] : json.meshes[node.mesh].primitives;
    const part = (mode: number) => {
      const found = parts.find((p) => (p.mode ?? 4) === mode);
      return found ? accessor(found.indices) : none;
    };
    const channel = (path: string) => {
      const found = channels.find((c) => c.node === index && c.path === path);
      return found && accessor(found.output);
    };
    const base: Float32Array = parts.length ? accessor(parts[0].attributes.POSITION) : new Float32Array(0);
    const offsets = (parts[0]?.targets ?? []).map((target: any) => accessor(target.POSITION));
    const weights: Uint8Array | undefined = channel('weights');
    let stateOfFrame: Uint32Array | null = null;
    if (weights)
      stateOfFrame = new Uint32Array(times.length).map(
        (_, frame) => weights.subarray(frame * offsets.length, (frame + 1) * offsets.length).indexOf(255) + 1,
      );
    const material = json.materials?.[parts[0]?.material]?.pbrMetallicRoughness?.baseColorFactor ?? [0.5, 0.5, 0.5, 1];
    return {
      name: node.name ?? '',
      rigid: node.extras?.graze_rigid === true,
      color: material.slice(0, 3),
      radius: node.extras?.graze_radius ?? 0,
      vertexCount: base.length / 3,
      base,
      offsets,
      stateOfFrame,
      translations: channel('translation') ?? new Float32Array(node.translation ?? [0, 0, 0]),
      rotations: channel('rotation') ?? new Float32Array(node.rotation ?? [0, 0, 0, 1]),
      faces: part(4),
      edges: part(1),
      points: part(0),
    };
  });
  return {
    title: own.title || 'Recording',
    timeUnit: own.timeUnit,
    zUp: own.zUp === true,
    facts: own.facts ?? [],
    times: times.length ? times : new Float64Array(1),
    bodies,
    contacts: new Contacts(
      own.kinds ?? [],
      named<Float64Array>(Float64Array, 'times'),
      named<Float32Array>(Float32Array, 'points'),
      named<Float32Array>(Float32Array, 'normals'),
      named<Uint32Array>(Uint32Array, 'features'),
    ),
  };
}

// Between which frames a time lies, and how far.
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

// The positions of all vertices in a state; 0 is the base.
export function statePositions(body: Body, state: number, into: Float32Array): Float32Array {
  into.set(body.base);
  if (state > 0) {
    const offset = body.offsets[state - 1];
    for (let i = 0; i < into.length; ++i) into[i] += offset[i];
  }
  return into;
}
