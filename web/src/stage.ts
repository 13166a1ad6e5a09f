import * as THREE from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';

import { BodyView, poseAt, Shading } from './body_view';
import { ContactMarks } from './contact_marks';
import { Body, Contact, Recording, statePositions } from './recording';

// The scene: the bodies, the marks of the current contact, and dots at the contacts shortly before.

const glowColor = new THREE.Color('#ffb000');

// Extends a box by a body over the first `frames` frames; long recordings are sampled.
function bounds(recording: Recording, body: Body, into: THREE.Box3, frames = recording.times.length) {
  const point = new THREE.Vector3(), position = new THREE.Vector3(), rotation = new THREE.Quaternion();
  const scratch = new Float32Array(body.base.length);
  const extend = (values: Float32Array, pose: boolean) => {
    for (let i = 0; i < values.length; i += 3) {
      point.fromArray(values, i);
      if (pose) point.applyQuaternion(rotation).add(position);
      into.expandByPoint(point);
    }
  };
  const every = Math.max(1, Math.floor(frames / 24));
  if (body.rigid) {
    const box = new THREE.Box3().setFromArray(body.base);
    const corners = new Float32Array(24);
    for (let c = 0; c < 8; ++c)
      corners.set([c & 1 ? box.max.x : box.min.x, c & 2 ? box.max.y : box.min.y, c & 4 ? box.max.z : box.min.z], 3 * c);
    for (let frame = 0; frame < frames; frame += every) {
      poseAt(body, frame, frame, 0, position, rotation);
      if (body.base.length) extend(corners, true);
    }
  } else {
    for (let state = 0; state <= body.offsets.length; state += every) extend(statePositions(body, state, scratch), false);
  }
}

const moves = (body: Body) => body.stateOfFrame !== null || body.translations.length > 3 || body.rotations.length > 4;

// Returns the box of many rigid bodies at the start, without bodies that are far larger than most; null
// if there are few bodies or not all are rigid.
function beginning(recording: Recording): THREE.Box3 | null {
  if (recording.bodies.length < 8 || !recording.bodies.every((body) => body.rigid)) return null;
  const boxes = recording.bodies.map((body) => {
    const box = new THREE.Box3();
    bounds(recording, body, box, 1);
    return box;
  });
  const size = (box: THREE.Box3) => box.getSize(new THREE.Vector3()).length();
  const usual = boxes.map(size).sort((a, b) => a - b)[Math.floor(boxes.length / 2)];
  const all = new THREE.Box3();
  for (const box of boxes) if (size(box) <= 10 * usual) all.union(box);
  return all;
}

// Returns a color mixed with grey, for static bodies.
const faded = (color: [number, number, number]): [number, number, number] => {
  const grey = 0.2126 * color[0] + 0.7152 * color[1] + 0.0722 * color[2];
  return color.map((x) => 0.75 * (0.12 + 0.6 * grey) + 0.25 * x) as [number, number, number];
};

// Returns the box that the camera shows: the moving bodies, and the part of the static bodies within a margin
// of 25%.
function visibleBox(recording: Recording): THREE.Box3 {
  const all = new THREE.Box3(), box = new THREE.Box3();
  for (const body of recording.bodies) {
    bounds(recording, body, all);
    if (moves(body)) bounds(recording, body, box);
  }
  const begins = beginning(recording);
  if (begins) box.copy(begins);
  if (box.isEmpty()) box.copy(all);
  if (box.isEmpty()) box.expandByPoint(new THREE.Vector3());
  const extent = box.getSize(new THREE.Vector3());
  return box.union(all.clone().intersect(box.clone().expandByVector(extent.multiplyScalar(0.25))));
}

export class Stage {
  readonly views: BodyView[] = [];
  readonly extras = new THREE.Group(); // objects that other parts of the page add
  readonly size: number; // diameter of the visible box
  time = 0;
  private readonly renderer: THREE.WebGLRenderer;
  private readonly scene = new THREE.Scene();
  private readonly camera = new THREE.PerspectiveCamera(35, 1, 0.01, 100);
  private readonly controls: OrbitControls;
  private readonly box = new THREE.Box3();
  private readonly marks: ContactMarks;
  private glow: THREE.Points<THREE.BufferGeometry, THREE.ShaderMaterial>;
  private glowSize = 8;
  private readonly headlight = new THREE.DirectionalLight(0xffffff, 0.9);
  private shift = 0; // pixels by which the center of the view is below the middle of the canvas
  private fitted: THREE.Vector3 | null = null; // argument of the last fit(); null once the reader has moved the camera
  private marked: Contact | null = null;
  private dirty = true;
  private sharp = false;
  private coarse = 1; // resolution while the picture changes, relative to the full one, in (0, 1]
  private readonly software = drawnBySoftware();
  private up: THREE.Vector3;
  shading: Shading = 'solid';

  // covered() returns the heights, in pixels, of the parts of the canvas that texts cover.
  constructor(
    private readonly canvas: HTMLCanvasElement,
    private recording: Recording,
    private readonly covered: () => { top: number; bottom: number },
  ) {
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: !this.software, alpha: true, powerPreference: 'high-performance' });
    this.up = recording.zUp ? new THREE.Vector3(0, 0, 1) : new THREE.Vector3(0, 1, 0);
    this.camera.up.copy(this.up);

    this.box.copy(visibleBox(recording));
    this.size = this.box.getSize(new THREE.Vector3()).length() || 1;

    for (const body of recording.bodies) {
      const own = new THREE.Box3();
      bounds(recording, body, own);
      const floor = !moves(body) && own.getSize(new THREE.Vector3()).length() > 3 * this.size;
      const around = floor ? { middle: this.box.getCenter(new THREE.Vector3()), reach: 1.6 * this.size } : null;
      const view = new BodyView(moves(body) ? body : { ...body, color: faded(body.color) }, this.size, around);
      this.views.push(view);
      this.scene.add(view.group);
    }
    this.glow = this.makeGlow();
    this.marks = new ContactMarks(Math.max(3, recording.contacts.mostVertices), this.size);
    this.scene.add(this.glow, this.marks.group, this.extras);
    const sky = new THREE.HemisphereLight(0xffffff, 0x9a9388, 1.2);
    sky.position.copy(this.up);
    const sun = new THREE.DirectionalLight(0xfff4e2, 1.5);
    sun.position.set(0.4, 0.5, 0.6).addScaledVector(this.up, 1.2);
    this.scene.add(sky, sun, this.headlight);

    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.zoomToCursor = true;
    this.controls.addEventListener('change', () => this.redraw());
    this.controls.addEventListener('start', () => (this.fitted = null));
    new ResizeObserver(() => (this.fitted ? this.fit(this.fitted) : this.redraw())).observe(canvas);
    let last = 0;
    const loop = (now: number) => {
      requestAnimationFrame(loop);
      if (this.dirty) {
        // If drawing is slow, the resolution is lower while the picture changes, and full at rest.
        const interval = now - last;
        if (interval < 1000) this.coarse = Math.max(0.35, Math.min(1, this.coarse * (interval > 70 ? 0.85 : interval < 30 ? 1.1 : 1)));
        last = now;
        this.draw(this.coarse);
        this.sharp = this.coarse === 1 && !this.software;
      } else if (!this.sharp && now - last > 250) {
        this.draw(1);
        this.sharp = true;
      }
    };
    requestAnimationFrame(loop);
  }

  redraw() {
    this.dirty = true;
  }

  // Shows another recording of the same bodies: more frames, more contacts or other motions. Features of its
  // contacts have at most three vertices, or as many as before. The camera moves only if the reader has not
  // moved it and the bodies leave the picture.
  replace(recording: Recording) {
    this.recording = recording;
    recording.bodies.forEach((body, i) => this.views[i].replace(body));
    this.scene.remove(this.glow);
    this.glow.geometry.dispose();
    this.glow.material.dispose();
    this.glow = this.makeGlow();
    this.glow.material.uniforms.size.value = this.glowSize * this.renderer.getPixelRatio();
    this.scene.add(this.glow);
    const box = visibleBox(recording);
    const margin = this.box.getSize(new THREE.Vector3()).multiplyScalar(0.05);
    if (this.fitted && !this.box.clone().expandByVector(margin).containsBox(box)) {
      this.box.union(box);
      this.fit(this.fitted);
    }
    this.redraw();
  }

  // Moves the camera so that the whole box is visible. direction: from the scene to the camera, y up.
  fit(direction = new THREE.Vector3(0.72, 0.5, 1)) {
    this.fitted = direction;
    const middle = this.box.getCenter(new THREE.Vector3());
    const { clientWidth: width, clientHeight: height } = this.canvas;
    const { top, bottom } = this.covered();
    const free = Math.max(1, 0.6 * height, height - top - bottom);
    this.shift = ((height - free) / 2) * ((top - bottom) / Math.max(1, top + bottom));
    const aspect = width / free;
    const towards = this.recording.zUp ? new THREE.Vector3(direction.x, -direction.z, direction.y) : direction.clone();
    // The smallest distance at which all corners of the box are visible between the texts.
    const turn = new THREE.Matrix4().lookAt(towards, new THREE.Vector3(), this.up).invert();
    const tangent = (Math.tan((this.camera.fov * Math.PI) / 360) * free) / Math.max(1, height);
    let away = 1e-3 * this.size;
    for (let c = 0; c < 8; ++c) {
      const { min, max } = this.box;
      const corner = new THREE.Vector3(c & 1 ? max.x : min.x, c & 2 ? max.y : min.y, c & 4 ? max.z : min.z).sub(middle).applyMatrix4(turn);
      away = Math.max(away, corner.z + (1.12 * Math.max(Math.abs(corner.y), Math.abs(corner.x) / aspect)) / tangent);
    }
    this.controls.target.copy(middle);
    this.camera.position.copy(middle).addScaledVector(towards.normalize(), away);
    this.camera.near = away / 1000;
    this.camera.far = away * 40;
    this.camera.updateProjectionMatrix();
    this.controls.update();
    this.redraw();
  }

  // Moves the camera near the marked contact.
  approach() {
    if (!this.marked) return;
    this.fitted = null;
    const point = new THREE.Vector3(...this.marked.point);
    let reach = 0;
    for (const side of [0, 1] as const)
      for (const vertex of this.marked.vertices[side])
        reach = Math.max(reach, this.views[this.marked.bodies[side]].vertex(vertex).distanceTo(point));
    const away = this.camera.position.clone().sub(this.controls.target).normalize();
    this.controls.target.copy(point);
    this.camera.position.copy(point).addScaledVector(away, Math.max(8 * reach, 0.02 * this.size));
    this.camera.near = Math.max(reach, 0.002 * this.size) / 50;
    this.camera.updateProjectionMatrix();
    this.controls.update();
    this.redraw();
  }

  setShading(shading: Shading, ink: THREE.Color) {
    this.shading = shading;
    for (const view of this.views) view.setShading(shading, ink);
    this.redraw();
  }

  // Shows the scene at a time and marks a contact. fade: how long the dots at contacts stay visible.
  show(time: number, fade: number, contact: Contact | null) {
    this.time = time;
    for (const view of this.views) view.show(this.recording.times, time);
    const { uniforms } = this.glow.material;
    uniforms.time.value = time - this.recording.times[0];
    uniforms.fade.value = fade;
    this.marked = contact;
    if (contact)
      this.marks.show(contact, (side) => {
        const view = this.views[contact.bodies[side]];
        return contact.vertices[side].map((vertex) => view.vertex(vertex));
      });
    else this.marks.hide();
    this.redraw();
  }

  private makeGlow(): THREE.Points<THREE.BufferGeometry, THREE.ShaderMaterial> {
    const { contacts, times } = this.recording;
    // The dots are smaller if there are many contacts.
    this.glowSize = Math.max(2.5, 8 * Math.min(1, (2000 / Math.max(1, contacts.count)) ** 0.3));
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute('position', new THREE.BufferAttribute(contacts.points, 3));
    geometry.setAttribute('began', new THREE.BufferAttribute(Float32Array.from(contacts.times, (t) => t - times[0]), 1));
    const material = new THREE.ShaderMaterial({
      uniforms: { time: { value: 0 }, fade: { value: 1 }, size: { value: this.glowSize }, color: { value: glowColor } },
      vertexShader: `
        attribute float began; uniform float time, fade, size; varying float strength;
        void main() {
          float age = (time - began) / fade;
          strength = age < -1e-6 || age > 1.0 ? 0.0 : 1.0 - age;
          gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
          gl_Position.z -= 2e-4 * gl_Position.w;
          gl_PointSize = strength > 0.0 ? size * (0.45 + 0.55 * strength) : 0.0;
          if (strength <= 0.0) gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
        }`,
      fragmentShader: `
        uniform vec3 color; varying float strength;
        void main() {
          float r = length(gl_PointCoord - 0.5) * 2.0;
          gl_FragColor = vec4(color, strength * smoothstep(1.0, 0.3, r));
          #include <colorspace_fragment>
        }`,
      transparent: true,
      depthWrite: false,
    });
    const glow = new THREE.Points(geometry, material);
    glow.frustumCulled = false;
    glow.renderOrder = 5;
    return glow;
  }

  private draw(quality: number) {
    const still = quality === 1 && !this.dirty;
    this.dirty = false;
    const { clientWidth: width, clientHeight: height } = this.canvas;
    if (width === 0 || height === 0) return;
    // Software drawing has no antialiasing: a picture at rest is drawn at twice the size instead.
    const ratio = Math.min(2, devicePixelRatio) * (still && this.software ? 2 : quality);
    const size = this.renderer.getSize(new THREE.Vector2());
    const view = this.camera.view;
    if (size.x !== width || size.y !== height || this.renderer.getPixelRatio() !== ratio || view?.offsetY !== -this.shift) {
      this.renderer.setPixelRatio(ratio);
      this.renderer.setSize(width, height, false);
      this.camera.aspect = width / height;
      this.camera.setViewOffset(width, height, 0, -this.shift, width, height);
      this.glow.material.uniforms.size.value = this.glowSize * ratio;
    }
    this.headlight.position.copy(this.camera.position).sub(this.controls.target);
    this.marks.adapt(this.camera);
    this.renderer.render(this.scene, this.camera);
    ++this.drawn;
  }

  drawn = 0;

  // Returns the numbers of objects that the renderer holds on the graphics card. `materials` counts the
  // uses of shader programs: one for each material that was drawn and not disposed of.
  memory() {
    const { memory, programs } = this.renderer.info;
    const materials = (programs ?? []).reduce((sum, program) => sum + program.usedTimes, 0);
    return { geometries: memory.geometries, textures: memory.textures, materials };
  }

  // Measures drawing alone, each frame finished before the next. Returns the frames per second and the
  // name of the graphics device.
  measure(frames: number) {
    const gl = this.renderer.getContext();
    const pixel = new Uint8Array(4);
    const { time, marked, coarse } = this;
    const begin = performance.now();
    for (let i = 0; i < frames; ++i) {
      this.show(this.recording.times[0] + ((i + 0.5) / frames) * (this.recording.times[this.recording.times.length - 1] - this.recording.times[0]), 1, this.marked);
      this.draw(coarse);
      gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
    }
    const seconds = (performance.now() - begin) / 1000;
    this.show(time, 1, marked);
    const info = gl.getExtension('WEBGL_debug_renderer_info');
    return {
      framesPerSecond: frames / seconds,
      resolution: coarse,
      triangles: this.renderer.info.render.triangles,
      backend: String(gl.getParameter(info ? info.UNMASKED_RENDERER_WEBGL : gl.RENDERER)),
    };
  }
}

// Returns whether the browser draws WebGL without a graphics card.
function drawnBySoftware(): boolean {
  const gl = document.createElement('canvas').getContext('webgl2');
  const info = gl?.getExtension('WEBGL_debug_renderer_info');
  const name = info ? String(gl!.getParameter(info.UNMASKED_RENDERER_WEBGL)) : '';
  gl?.getExtension('WEBGL_lose_context')?.loseContext();
  return /swiftshader|llvmpipe|software/i.test(name);
}
