// The answers of all methods to one query, for the panel of the viewer.
import type { Graze, Impact, Method } from './graze/graze';
import type { MethodAnswer, Query } from '../../src/query_panel';
import type { PlayQuery } from './query';

export type Truth = { toi: number; toiHi: number } | null; // null: no contact

const gapSamples = 49;
const answerKind = (kind: PlayQuery['kind']) => (kind === 'vertex-face' ? 'vertexFace' : 'edgeEdge');

// The methods that answer queries of a kind.
export const methodsFor = (graze: Graze, kind: PlayQuery['kind']) => graze.methods().filter((method) => method[answerKind(kind)]);

// The budgets of an iterative method and of a certificate: in the page while a point is dragged, and in the worker.
export const live = { checks: 500, proofChecks: 30 };
export const large = { checks: 200000, proofChecks: 1000 };

// Returns the fault of an answer, as `graze query` names it (apps/graze/queries/disagreement.cpp).
function faultOf(answer: Impact, truth: Truth, guarantee: string): MethodAnswer['fault'] {
  const late = truth !== null && !(answer.toi <= truth.toi);
  switch (answer.verdict) {
    case 'separated':
      return truth ? 'missed' : '';
    case 'contact':
      if (!truth) return 'false alarm';
      if (late) return 'late';
      return guarantee === 'exact' && (answer.toi !== truth.toi || answer.toiHi !== truth.toiHi) ? 'inexact' : '';
    case 'undecided':
      return late ? 'late' : 'undecided';
    default:
      return 'invalid';
  }
}

// Returns the answer of one method.
export function answerOf(graze: Graze, query: PlayQuery, method: Method, truth: Truth, maxChecks: number): MethodAnswer {
  const impact = graze.firstContact(query.numbers, query.kind, { method: method.name, maxChecks }).at(0);
  return {
    name: method.name,
    guarantee: method.guarantee,
    verdict: impact.verdict,
    toi: Number.isFinite(impact.toi) ? impact.toi : null,
    gives_time: method.givesTime,
    fault: faultOf(impact, truth, method.guarantee),
  };
}

// Returns the truth: the exact first contact.
export function truthOf(graze: Graze, query: PlayQuery): Truth {
  const impact = graze.firstContact(query.numbers, query.kind).at(0);
  return impact.verdict === 'contact' ? { toi: impact.toi, toiHi: impact.toiHi } : null;
}

// Returns the direction of a piece of a certificate at s in [0, 1], rounded.
function directionAt(direction: number[][][], s: number): [number, number, number] {
  const degree = direction.length - 1;
  const sum = [0, 0, 0];
  direction.forEach((terms, k) => {
    const weight = (1 - s) ** (degree - k) * s ** k;
    for (const term of terms) term.forEach((x, axis) => (sum[axis] += weight * x));
  });
  const largest = Math.max(...sum.map(Math.abs)) || 1;
  return sum.map((x) => x / largest) as [number, number, number];
}

// Returns the separating planes of a miss; null if the budget is spent.
export function certificateOf(graze: Graze, query: PlayQuery, maxChecks: number): Query['certificate'] | null {
  const proof = graze.certificate(query.numbers, query.kind, { maxChecks });
  if (proof.verdict === 'undecided') return null;
  const pieces: Query['certificate'] = [];
  let from = 0;
  for (const { end, direction } of proof.pieces) {
    const to = end[0];
    const parts = direction.length > 1 ? 8 : 1;
    for (let part = 0; part < parts; ++part) {
      const at = (k: number) => from + (k / parts) * (to - from);
      pieces.push({ from: at(part), to: at(part + 1), normal: directionAt(direction, (part + 0.5) / parts) });
    }
    from = to;
  }
  return pieces;
}

// The coordinates in which a query is drawn: moved and scaled into a ball of radius 1 about the origin, all of which is
// on the screen.
export class Frame {
  private readonly middle: number[];
  private readonly scale: number;
  private readonly radius: number = 1; // in units of `scale`; the product may be no double

  constructor({ numbers }: PlayQuery) {
    const lo = [Infinity, Infinity, Infinity];
    const hi = [-Infinity, -Infinity, -Infinity];
    numbers.forEach((x, i) => {
      lo[i % 3] = Math.min(lo[i % 3], x);
      hi[i % 3] = Math.max(hi[i % 3], x);
    });
    this.middle = lo.map((x, axis) => x / 2 + hi[axis] / 2);
    this.scale = Math.max(...lo.map((x, axis) => hi[axis] / 2 - x / 2)) || 1;
    const distance = (i: number) => Math.hypot(...this.toView(numbers.subarray(3 * i, 3 * i + 3)));
    this.radius = Math.max(...Array.from({ length: numbers.length / 3 }, (_, i) => distance(i))) || 1;
  }

  toView(point: ArrayLike<number>): [number, number, number] {
    return [0, 1, 2].map((axis) => (point[axis] / this.scale - this.middle[axis] / this.scale) / this.radius) as [number, number, number];
  }
  toQuery(point: ArrayLike<number>): [number, number, number] {
    return [0, 1, 2].map((axis) => this.middle[axis] + this.scale * (this.radius * point[axis])) as [number, number, number];
  }
}

// Returns the part of the panel that depends neither on the methods nor on a proof: truth, intervals and distances.
export function describe(graze: Graze, query: PlayQuery, truth: Truth, frame: Frame): Query {
  const { kind, numbers } = query;
  const corner = (i: number) => frame.toView(numbers.subarray(3 * i, 3 * i + 3));
  const times = graze.contactTimes(numbers, kind);
  // The distances are those of the drawing: distances of extreme coordinates overflow.
  const drawn = [0, 1, 2, 3, 4, 5, 6, 7].flatMap(corner);
  return {
    id: 'query',
    title: 'query',
    recording: '',
    kind,
    t_max: 1,
    truth: { contact: truth !== null, toi: truth?.toi ?? null, intervals: times.intervals.map(({ beginLo, endHi }) => [beginLo, endHi]) },
    methods: [],
    certificate: [],
    gap: Array.from({ length: gapSamples }, (_, i) => graze.closestPoints(drawn, kind, i / (gapSamples - 1))[0].distance),
    start: [0, 1, 2, 3].map(corner),
    end: [4, 5, 6, 7].map(corner),
  };
}
