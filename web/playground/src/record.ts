// Recordings for the viewer, made of the answers of the library.
import type { AllImpacts, BodyImpact } from './graze/graze';
import type { Body, PlainRecording } from '../../src/recording';

const kinds = ['vertex-face', 'edge-edge', 'vertex-edge', 'vertex-vertex', 'edge-face'];
const palette: [number, number, number][] = [[0.36, 0.5, 0.75], [0.8, 0.52, 0.25]];

export interface MeshParts {
  positions: Float64Array;
  faces: Uint32Array;
  rods: Uint32Array;
}

// Collects contacts in the order of time.
class ContactList {
  private readonly times: number[] = [];
  private readonly points: number[] = [];
  private readonly normals: number[] = [];
  private readonly features: number[] = [];

  add(time: number, point: number[], normal: number[], head: number[], a: ArrayLike<number>, b: ArrayLike<number>) {
    this.times.push(time);
    this.points.push(...point);
    this.normals.push(...(normal.every(Number.isFinite) ? normal : [0, 0, 0]));
    this.features.push(...head, a.length, b.length, ...Array.from(a), ...Array.from(b));
  }

  get arrays(): PlainRecording['contacts'] {
    return [kinds, Float64Array.from(this.times), Float32Array.from(this.points), Float32Array.from(this.normals), Uint32Array.from(this.features)];
  }
}

function makeBody(name: string, index: number, positions: ArrayLike<number>, parts: Partial<Body>): Body {
  return {
    name,
    rigid: false,
    color: palette[index % palette.length],
    radius: 0,
    vertexCount: positions.length / 3,
    base: Float32Array.from(positions),
    offsets: [],
    stateOfFrame: null,
    translations: new Float32Array(3),
    rotations: Float32Array.of(0, 0, 0, 1),
    faces: new Uint32Array(0),
    edges: new Uint32Array(0),
    points: new Uint32Array(0),
    ...parts,
  };
}

// A mesh in several frames, with the contacts of each step. Positions far from the origin are moved to it:
// the viewer draws in 32 bits.
export class FrameRecorder {
  private readonly contacts = new ContactList();
  private readonly middle: number[];
  private readonly base: Float32Array; // the first frame
  private readonly offsets: Float32Array[]; // of the other frames from the first one

  constructor(
    private readonly title: string,
    private readonly parts: MeshParts,
    private readonly edges: Uint32Array,
    frames: Float64Array[],
    private readonly zUp: boolean,
  ) {
    const lo = [Infinity, Infinity, Infinity], hi = [-Infinity, -Infinity, -Infinity];
    parts.positions.forEach((x, i) => {
      lo[i % 3] = Math.min(lo[i % 3], x);
      hi[i % 3] = Math.max(hi[i % 3], x);
    });
    const size = Math.max(...hi.map((x, axis) => x - lo[axis]));
    const centre = hi.map((x, axis) => (x + lo[axis]) / 2);
    this.middle = Math.max(...centre.map(Math.abs)) > 100 * size ? centre : [0, 0, 0];
    const at = (frame: Float64Array) => Float32Array.from(frame, (x, i) => x - this.middle[i % 3]);
    this.base = at(frames[0]);
    this.offsets = frames.slice(1).map((frame) => at(frame).map((x, i) => x - this.base[i]));
  }

  // Adds the contacts of the step from one frame to the next.
  addStep(step: number, all: AllImpacts) {
    const { faces, positions } = this.parts;
    const vertexCount = positions.length / 3;
    const edge = (e: number) => ({ name: vertexCount + e, vertices: this.edges.subarray(2 * e, 2 * e + 2) });
    const face = (f: number) => ({ name: vertexCount + this.edges.length / 2 + f, vertices: faces.subarray(3 * f, 3 * f + 3) });
    const vertex = (v: number) => ({ name: v, vertices: [v] });
    const features: Record<string, [(i: number) => { name: number; vertices: ArrayLike<number> }, typeof vertex]> = {
      'vertex-face': [vertex, face],
      'edge-edge': [edge, edge],
      'vertex-edge': [vertex, edge],
      'vertex-vertex': [vertex, vertex],
      'edge-face': [edge, face],
    } as never;
    for (let i = 0; i < all.impacts.length; ++i) {
      const kind = all.kind(i);
      const [a, b] = all.pair(i).map((index, side) => features[kind][side](index));
      const point = all.point(i).map((x, axis) => x - this.middle[axis]);
      this.contacts.add(step + all.impacts.toi(i), point, all.impacts.normal(i), [kinds.indexOf(kind), 0, 0, a.name, b.name], a.vertices, b.vertices);
    }
  }

  // Returns the recording of the first `steps` steps.
  finish(facts: [string, string][], steps: number): PlainRecording {
    const { faces, rods } = this.parts;
    const lone = faces.length === 0 && rods.length === 0;
    const body = makeBody('mesh', 0, this.base, {
      faces,
      edges: rods,
      points: lone ? Uint32Array.from({ length: this.base.length / 3 }, (_, i) => i) : new Uint32Array(0),
      offsets: this.offsets.slice(0, steps),
      stateOfFrame: Uint32Array.from({ length: steps + 1 }, (_, i) => i),
    });
    return {
      title: this.title,
      timeUnit: '',
      zUp: this.zUp,
      facts,
      times: Float64Array.from({ length: steps + 1 }, (_, i) => i),
      bodies: [body],
      contacts: this.contacts.arrays,
    };
  }
}

// A simulation of edges: frames of positions.
export function recordEdges(title: string, times: number[], frames: Float64Array[], edges: Uint32Array, radius: number, facts: [string, string][]): PlainRecording {
  const base = Float32Array.from(frames[0]);
  const body = makeBody('edges', 1, base, {
    edges,
    radius,
    offsets: frames.slice(1).map((frame) => Float32Array.from(frame, (x, i) => x - base[i])),
    stateOfFrame: Uint32Array.from(frames, (_, i) => i),
  });
  return { title, timeUnit: 's', zUp: true, facts, times: Float64Array.from(times), bodies: [body], contacts: new ContactList().arrays };
}

export interface RigidPart {
  name: string;
  vertices: Float64Array;
  faces: Uint32Array;
  poses: { rotation: ArrayLike<number>; translation: ArrayLike<number> }[]; // one per frame
}

// Two rigid bodies, in frames at equal steps of time, and their first contact.
export function recordRigid(title: string, parts: RigidPart[], found: BodyImpact, facts: [string, string][]): PlainRecording {
  const contacts = new ContactList();
  const faceOf = (part: RigidPart, face: number) => part.faces.subarray(3 * face, 3 * face + 3);
  if (found.impact.verdict === 'contact') {
    const point = found.pointA.map((x, axis) => (x + found.pointB[axis]) / 2);
    contacts.add(found.impact.toi, point, found.impact.normal, [4, 0, 1, found.faceA, found.faceB], faceOf(parts[0], found.faceA), faceOf(parts[1], found.faceB));
  }
  const frames = parts[0].poses.length;
  const bodies = parts.map((part, index) =>
    makeBody(part.name, index, part.vertices, {
      rigid: true,
      faces: part.faces,
      translations: Float32Array.from(part.poses.flatMap(({ translation }) => Array.from(translation))),
      // The library writes w first, the viewer last.
      rotations: Float32Array.from(part.poses.flatMap(({ rotation: r }) => [r[1], r[2], r[3], r[0]])),
    }),
  );
  const [names, ...rest] = contacts.arrays;
  return {
    title,
    timeUnit: '',
    zUp: false,
    facts,
    times: Float64Array.from({ length: frames }, (_, i) => i / (frames - 1)),
    bodies,
    contacts: [names.map((kind) => (kind === 'edge-face' ? 'face-face' : kind)), ...rest],
  };
}

