import * as THREE from 'three';

// The page of one query, a pair of moving primitives: the answer of every method on a common time axis,
// the exact times of contact, the path of each vertex, and the separating plane if nothing touches.

export interface MethodAnswer {
  name: string;
  guarantee: string;
  verdict: 'separated' | 'contact' | 'undecided' | 'invalid';
  toi: number | null;
  gives_time: boolean;
  fault: 'missed' | 'late' | 'false alarm' | 'inexact' | 'undecided' | 'invalid' | '';
  pending?: boolean; // the answer is still being computed; all but the name has no meaning
}

export interface Query {
  id: string; // the fragment of links to the query
  title: string;
  recording: string; // base64
  kind: string;
  t_max: number;
  truth: { contact: boolean; toi: number | null; intervals: [number, number][] };
  methods: MethodAnswer[];
  certificate: { from: number; to: number; normal: [number, number, number] }[];
  gap: number[]; // distances at equal steps of time, in the units of the scene
  start: [number, number, number][];
  end: [number, number, number][];
}

const trailInk = new THREE.LineBasicMaterial({ color: '#8a8f98', transparent: true, opacity: 0.95 });
const outlineInk = new THREE.LineBasicMaterial({ color: '#8a8f98', transparent: true, opacity: 0.7 });

// The part of the scene that the panel uses: a group for its own objects, and the diameter of the scene.
export interface QueryStage {
  readonly extras: THREE.Group;
  readonly size: number;
}

export class QueryPanel {
  private readonly panel = document.getElementById('methods')!;
  private readonly rows = document.createElement('div');
  private readonly plane = new THREE.Group();
  private readonly trails = new THREE.Group();
  private window: [number, number] = [0, 1]; // the visible part of the time axis
  private plotLeft = 0; // pixels from the left side of the panel to the time axis
  private plotWidth = 50; // pixels of the time axis
  private time = 0;

  constructor(
    private query: Query,
    private readonly stage: QueryStage,
    private readonly seek: (time: number) => void,
  ) {
    this.panel.style.display = 'grid';
    this.rows.className = 'rows';
    this.rows.role = 'list';
    this.panel.append(this.rows);
    this.stage.extras.add(this.trails);
    this.addTrails();
    this.makePlane();
    this.rows.addEventListener('wheel', (event) => this.zoom(event), { passive: false });
    this.rows.addEventListener('dblclick', () => this.setWindow(0, 1));
    const drag = (event: PointerEvent) => {
      if (event.buttons === 1 && event.offsetX !== undefined) this.seek(this.timeAt(event.clientX));
    };
    this.rows.addEventListener('pointerdown', drag);
    this.rows.addEventListener('pointermove', drag);
    new ResizeObserver(() => this.resize()).observe(this.rows);
    this.resize();
  }

  // Shows another query, or the same one with other answers.
  update(query: Query) {
    this.query = query;
    for (const child of this.trails.children) (child as THREE.LineSegments).geometry.dispose();
    this.trails.clear();
    this.addTrails();
    this.draw();
  }

  // Returns the result in one sentence.
  summary(): string {
    const { truth, methods } = this.query;
    const wrong = methods.filter((method) => method.fault !== '' && method.fault !== 'undecided');
    const answers = wrong.length === 0 ? 'no method is wrong' : `${wrong.length} of ${methods.length} methods ${wrong.length === 1 ? 'is' : 'are'} wrong`;
    return truth.contact ? `First contact at t = ${truth.toi}; ${answers}.` : `No contact; ${answers}.`;
  }

  // Moves the mark of the current time, and the separating plane of that time.
  show(time: number) {
    this.time = time;
    const playhead = this.rows.querySelector<HTMLElement>('.playhead');
    if (playhead) {
      const x = this.x(time);
      playhead.style.transform = `translateX(${x}px)`;
      playhead.style.visibility = x < this.plotLeft - 1 ? 'hidden' : 'visible';
    }
    const piece = this.query.certificate.find(({ from, to }) => time >= from && time <= to);
    this.plane.visible = piece !== undefined;
    if (!piece) return;
    const normal = new THREE.Vector3(...piece.normal).normalize();
    const split = this.query.kind === 'vertex-face' ? 1 : 2;
    const middle = new THREE.Vector3();
    let lo = -Infinity, hi = Infinity;
    this.query.start.forEach((start, i) => {
      const point = new THREE.Vector3(...start).lerp(new THREE.Vector3(...this.query.end[i]), time);
      middle.addScaledVector(point, 0.25);
      const height = normal.dot(point);
      // The normal points to the side of the first primitive.
      if (i < split) hi = Math.min(hi, height);
      else lo = Math.max(lo, height);
    });
    this.plane.position.copy(middle).addScaledVector(normal, (lo + hi) / 2 - normal.dot(middle));
    this.plane.quaternion.setFromUnitVectors(new THREE.Vector3(0, 0, 1), normal);
  }

  // Measures the panel. Drawing does not: each measurement of changed rows would lay out the page anew.
  private resize() {
    const style = getComputedStyle(this.panel);
    this.plotLeft = parseFloat(style.getPropertyValue('--names')) + parseFloat(style.getPropertyValue('--notes'));
    this.plotWidth = Math.max(50, this.rows.clientWidth - this.plotLeft - 16);
    this.draw();
  }
  private x(time: number) {
    const [from, to] = this.window;
    const x = this.plotLeft + ((time - from) / (to - from)) * this.plotWidth;
    return Math.max(this.plotLeft - 20, Math.min(this.plotLeft + this.plotWidth + 20, x));
  }
  private timeAt(clientX: number) {
    const [from, to] = this.window;
    const part = (clientX - this.rows.getBoundingClientRect().left - this.plotLeft) / this.plotWidth;
    return Math.max(0, Math.min(1, from + part * (to - from)));
  }
  private setWindow(from: number, to: number) {
    this.window = [Math.max(0, from), Math.min(1, to)];
    this.draw();
  }
  // The wheel zooms over the time axis and scrolls over the names.
  private zoom(event: WheelEvent) {
    if (event.clientX - this.rows.getBoundingClientRect().left < this.plotLeft) return;
    event.preventDefault();
    const [from, to] = this.window, at = this.timeAt(event.clientX);
    const factor = Math.exp(0.002 * event.deltaY);
    if ((to - from) * factor > 1e-14) this.setWindow(at - (at - from) * factor, at + (to - at) * factor);
  }

  private draw() {
    const { truth, methods } = this.query;
    this.rows.replaceChildren();
    const add = (parent: Element, kind: string, text = '', style: Partial<CSSStyleDeclaration> = {}) => {
      const element = document.createElement('div');
      element.className = kind;
      element.textContent = text;
      Object.assign(element.style, style);
      parent.append(element);
      return element;
    };
    const row = (kind: string, name: string, note: string) => {
      const made = add(this.rows, `method ${kind}`);
      made.role = 'listitem';
      add(made, 'name', name);
      add(made, 'note', note);
      return add(made, 'line');
    };
    const place = (time: number) => `${this.x(time) - this.plotLeft}px`;
    const gap = row('gap', 'distance', this.range());
    gap.innerHTML = this.gapCurve();
    const line = row('truth', 'true contact', truth.contact ? `from ${truth.toi}` : 'none');
    for (const [from, to] of truth.intervals)
      add(line, 'interval', '', { left: place(from), width: `${Math.max(3, this.x(to) - this.x(from))}px` });
    for (const method of methods) {
      const mark = row(method.fault.replace(' ', '-'), method.name, this.note(method));
      if (method.pending) continue;
      if (method.verdict === 'contact' && !method.gives_time) add(mark, 'whole', 'contact, no time');
      else if (method.verdict === 'contact' || method.verdict === 'undecided') add(mark, 'toi', '', { left: place(method.toi ?? 0) });
      if (method.fault === 'missed') add(mark, 'missed-label', 'missed', { left: place(truth.toi ?? 0) });
    }
    add(this.rows, 'playhead');
    this.show(this.time);
  }

  private range() {
    const [from, to] = this.window;
    return to - from < 1 ? `${from.toPrecision(4)} + ${(to - from).toExponential(1)}` : 'scroll to zoom';
  }

  // Returns a few words on the answer of a method.
  private note(method: MethodAnswer): string {
    const { truth } = this.query;
    if (method.pending) return 'computing';
    if (method.fault === 'missed') return 'separated';
    if (method.verdict !== 'contact') return method.verdict;
    if (!method.gives_time || method.toi === null) return method.fault || 'contact';
    if (truth.toi === null) return `false alarm ${method.toi.toPrecision(3)}`;
    const late = method.toi - truth.toi;
    return late === 0 ? 'exact' : late > 0 ? `late by ${late.toExponential(1)}` : `early by ${(-late).toExponential(1)}`;
  }

  // Returns the curve of the distance over time as SVG; the vertical axis is the square root.
  private gapCurve(): string {
    const { gap } = this.query;
    const most = Math.max(...gap) || 1;
    const points = gap
      .map((distance, i) => `${((i / (gap.length - 1) - this.window[0]) / (this.window[1] - this.window[0])) * this.plotWidth},${30 - 28 * Math.sqrt(distance / most)}`)
      .join(' ');
    return `<svg width="${this.plotWidth}" height="32"><polyline points="${points}"/></svg>`;
  }

  // Adds the path of each vertex, and the outlines of the primitives at the start and at the end.
  private addTrails() {
    const [start, end] = [this.query.start, this.query.end].map((points) => points.map((p) => new THREE.Vector3(...p)));
    const line = (points: THREE.Vector3[], material: THREE.LineBasicMaterial) =>
      this.trails.add(new THREE.LineSegments(new THREE.BufferGeometry().setFromPoints(points), material));
    line(start.flatMap((point, i) => [point, end[i]]), trailInk);
    const sides = this.query.kind === 'vertex-face' ? [1, 2, 2, 3, 3, 1] : [0, 1, 2, 3];
    for (const points of [start, end]) line(sides.map((i) => points[i]), outlineInk);
  }

  // Makes the separating plane, hidden.
  private makePlane() {
    const size = 0.55 * this.stage.size;
    const sheet = new THREE.Mesh(
      new THREE.PlaneGeometry(size, size),
      new THREE.MeshBasicMaterial({ color: '#3b82f6', transparent: true, opacity: 0.16, side: THREE.DoubleSide, depthWrite: false }),
    );
    const grid = new THREE.GridHelper(size, 12, '#3b82f6', '#3b82f6').rotateX(Math.PI / 2);
    (grid.material as THREE.Material).transparent = true;
    (grid.material as THREE.Material).opacity = 0.3;
    this.plane.add(sheet, grid);
    this.plane.visible = false;
    this.stage.extras.add(this.plane);
  }
}
