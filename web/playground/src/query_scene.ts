// The scene of a query: both primitives at the current time, and eight points to drag.
import * as THREE from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';

import type { QueryStage } from '../../src/query_panel';
import type { Kind } from './query';

type Point = [number, number, number];

const radius = 0.045;
// A point is dragged if it is pressed within so many pixels of its centre: half the size of a fingertip, or less
// for a mouse.
const reach = { mouse: 12, touch: 24 };
const colors = { a: '#d98a00', b: '#0d9488' };
const inks = {
  a: new THREE.MeshBasicMaterial({ color: colors.a }),
  b: new THREE.MeshBasicMaterial({ color: colors.b }),
  face: new THREE.MeshBasicMaterial({ color: colors.b, transparent: true, opacity: 0.5, side: THREE.DoubleSide, depthWrite: false }),
};

export class QueryScene implements QueryStage {
  readonly extras = new THREE.Group();
  readonly size = 3;
  drawn = 0;
  private readonly renderer: THREE.WebGLRenderer;
  private readonly scene = new THREE.Scene();
  private readonly camera = new THREE.PerspectiveCamera(35, 1, 0.01, 100);
  private readonly controls: OrbitControls;
  private readonly handles: THREE.Mesh<THREE.SphereGeometry, THREE.MeshBasicMaterial>[] = [];
  private readonly ring: THREE.Mesh;
  private readonly first = new THREE.Group(); // the primitives at the current time
  private points: Point[] = [];
  private kind: Kind = 'vertex-face';
  private dirty = true;

  // moved(i, point) is called while point i (0 to 3 at the start, 4 to 7 at the end) is dragged.
  constructor(
    private readonly canvas: HTMLCanvasElement,
    private readonly chosen: (index: number) => void,
    private readonly moved: (index: number, point: Point) => void,
  ) {
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: true, alpha: true });
    this.camera.position.set(2, 1.5, 3);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.addEventListener('change', () => this.redraw());
    const shape = new THREE.SphereGeometry(radius, 24, 16);
    for (let i = 0; i < 8; ++i) {
      const handle = new THREE.Mesh(shape, new THREE.MeshBasicMaterial({ transparent: true, opacity: i < 4 ? 1 : 0.55 }));
      this.handles.push(handle);
      this.scene.add(handle);
    }
    this.ring = new THREE.Mesh(new THREE.TorusGeometry(1.9 * radius, 0.007, 8, 48), new THREE.MeshBasicMaterial({ color: '#b45309' }));
    this.scene.add(this.ring, this.first, this.extras);
    this.connectDragging();
    new ResizeObserver(() => this.redraw()).observe(canvas);
    const loop = () => {
      requestAnimationFrame(loop);
      if (this.dirty) this.draw();
    };
    requestAnimationFrame(loop);
  }

  redraw() {
    this.dirty = true;
  }

  // Sets the points of the query; show() then draws it.
  setQuery(kind: Kind, points: Point[]) {
    this.kind = kind;
    this.points = points;
    const split = kind === 'vertex-face' ? 1 : 2;
    this.handles.forEach((handle, i) => {
      handle.position.set(...points[i]);
      handle.material.color.set(i % 4 < split ? colors.a : colors.b);
    });
  }

  choose(index: number) {
    this.ring.position.copy(this.handles[index].position);
    this.redraw();
  }

  // Shows the primitives at a time in [0, 1].
  show(time: number) {
    for (const child of [...this.first.children] as (THREE.Mesh | THREE.Line)[]) child.geometry.dispose();
    this.first.clear();
    if (this.points.length === 0) return;
    const at = [0, 1, 2, 3].map((i) => new THREE.Vector3(...this.points[i]).lerp(new THREE.Vector3(...this.points[i + 4]), time));
    const segment = (from: number, to: number, ink: THREE.Material) =>
      this.first.add(new THREE.Mesh(new THREE.TubeGeometry(new THREE.LineCurve3(at[from], at[to]), 1, 0.014, 10), ink));
    if (this.kind === 'vertex-face') {
      const dot = new THREE.Mesh(new THREE.SphereGeometry(0.7 * radius, 24, 16), inks.a);
      dot.position.copy(at[0]);
      const face = new THREE.Mesh(new THREE.BufferGeometry().setFromPoints([at[1], at[2], at[3]]), inks.face);
      this.first.add(dot, face);
      for (const [i, j] of [[1, 2], [2, 3], [3, 1]]) segment(i, j, inks.b);
    } else {
      segment(0, 1, inks.a);
      segment(2, 3, inks.b);
    }
    this.redraw();
  }

  // Returns where point i is on the screen, in pixels of the page.
  screenPosition(index: number): { x: number; y: number } {
    this.camera.updateMatrixWorld();
    const at = this.handles[index].position.clone().project(this.camera);
    const box = this.canvas.getBoundingClientRect();
    return { x: box.left + ((at.x + 1) / 2) * box.width, y: box.top + ((1 - at.y) / 2) * box.height };
  }

  // Returns the point that is pressed, or -1. Of points at the same place on the screen the nearest one is taken.
  private pointAt({ clientX, clientY, pointerType }: PointerEvent): number {
    const most = pointerType === 'mouse' ? reach.mouse : reach.touch;
    const depth = (i: number) => this.handles[i].position.distanceTo(this.camera.position);
    let found = -1, least = most;
    for (let i = 0; i < this.handles.length; ++i) {
      const { x, y } = this.screenPosition(i);
      const distance = Math.hypot(x - clientX, y - clientY);
      const same = found >= 0 && Math.abs(distance - least) < 0.5;
      if (same ? depth(i) >= depth(found) : distance > least) continue;
      found = i;
      least = distance;
    }
    return found;
  }

  private connectDragging() {
    const ray = new THREE.Raycaster();
    const plane = new THREE.Plane();
    let dragged = -1;
    const aim = (event: PointerEvent) => {
      const box = this.canvas.getBoundingClientRect();
      const at = new THREE.Vector2(((event.clientX - box.left) / box.width) * 2 - 1, 1 - ((event.clientY - box.top) / box.height) * 2);
      ray.setFromCamera(at, this.camera);
    };
    // Before the controls see the event: a point that is pressed is dragged, and the camera stays.
    this.canvas.addEventListener(
      'pointerdown',
      (event) => {
        const pressed = event.button === 0 ? this.pointAt(event) : -1;
        if (pressed < 0) return;
        dragged = pressed;
        this.controls.enabled = false;
        this.canvas.setPointerCapture(event.pointerId);
        plane.setFromNormalAndCoplanarPoint(this.camera.getWorldDirection(new THREE.Vector3()), this.handles[dragged].position);
        this.chosen(dragged);
      },
      { capture: true },
    );
    this.canvas.addEventListener('pointermove', (event) => {
      if (dragged < 0) return;
      aim(event);
      const point = ray.ray.intersectPlane(plane, new THREE.Vector3());
      if (point) this.moved(dragged, point.toArray());
    });
    const drop = () => {
      dragged = -1;
      this.controls.enabled = true;
    };
    this.canvas.addEventListener('pointerup', drop);
    this.canvas.addEventListener('pointercancel', drop);
  }

  private draw() {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    if (width === 0 || height === 0) return;
    this.dirty = false;
    this.renderer.setPixelRatio(Math.min(2, devicePixelRatio));
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    // A narrow canvas shows the whole width.
    this.camera.fov = width < height ? Math.min(70, (35 * height) / width) : 35;
    this.camera.updateProjectionMatrix();
    this.ring.quaternion.copy(this.camera.quaternion);
    this.renderer.render(this.scene, this.camera);
    ++this.drawn;
  }
}
