import * as THREE from 'three';

import { Body, frameAt, statePositions } from './recording';

// The objects that draw one body. The graphics card holds two states of a deforming body and
// interpolates between them. Edges and points are drawn as cylinders and balls, or as thin lines and
// dots if there are more than `mostSolids`.

export type Shading = 'solid' | 'edges' | 'wireframe';

const mostSolids = 20000;

// Makes a material fade out with the distance from `middle`, and vanish at the distance `reach`. Used
// for bodies that are far larger than the scene, such as floors.
const fadeOut = (material: THREE.Material, middle: THREE.Vector3, reach: number) => {
  const blend = material.onBeforeCompile;
  material.transparent = true;
  material.depthWrite = false;
  material.onBeforeCompile = (shader, renderer) => {
    blend.call(material, shader, renderer);
    Object.assign(shader.uniforms, { middle: { value: middle }, reach: { value: reach } });
    shader.vertexShader = shader.vertexShader
      .replace('#include <common>', '#include <common>\nvarying vec3 place;')
      .replace('#include <project_vertex>', '#include <project_vertex>\nplace = (modelMatrix * vec4(transformed, 1.0)).xyz;');
    shader.fragmentShader = shader.fragmentShader
      .replace('#include <common>', '#include <common>\nvarying vec3 place; uniform vec3 middle; uniform float reach;')
      .replace('#include <opaque_fragment>', 'diffuseColor.a *= 0.55 * smoothstep(reach, 0.25 * reach, distance(place, middle));\n#include <opaque_fragment>');
  };
  material.customProgramCacheKey = () => 'fade';
};

// Makes a material draw the positions and normals between two states; `blend` is the fraction, in [0, 1].
const blendVertices = (material: THREE.Material, uniforms: { blend: THREE.IUniform<number> }) => {
  material.onBeforeCompile = (shader) => {
    Object.assign(shader.uniforms, uniforms);
    shader.vertexShader = shader.vertexShader
      .replace('#include <common>', '#include <common>\nattribute vec3 nextPosition, nextNormal; uniform float blend;')
      .replace('#include <begin_vertex>', 'vec3 transformed = mix(position, nextPosition, blend);')
      .replace('#include <beginnormal_vertex>', 'vec3 objectNormal = mix(normal, nextNormal, blend) + vec3(0.0, 0.0, 1e-9);');
  };
  material.customProgramCacheKey = () => 'blend';
};

// Computes unit normals of the vertices: the mean of the adjacent faces, weighted by area.
function vertexNormals(positions: Float32Array, faces: ArrayLike<number>, into: Float32Array) {
  into.fill(0);
  for (let f = 0; f < faces.length; f += 3) {
    const a = 3 * faces[f], b = 3 * faces[f + 1], c = 3 * faces[f + 2];
    const ux = positions[b] - positions[a], uy = positions[b + 1] - positions[a + 1], uz = positions[b + 2] - positions[a + 2];
    const vx = positions[c] - positions[a], vy = positions[c + 1] - positions[a + 1], vz = positions[c + 2] - positions[a + 2];
    const nx = uy * vz - uz * vy, ny = uz * vx - ux * vz, nz = ux * vy - uy * vx;
    for (const corner of [a, b, c]) {
      into[corner] += nx;
      into[corner + 1] += ny;
      into[corner + 2] += nz;
    }
  }
  for (let i = 0; i < into.length; i += 3) {
    const length = Math.hypot(into[i], into[i + 1], into[i + 2]) || 1;
    into[i] /= length;
    into[i + 1] /= length;
    into[i + 2] /= length;
  }
}

// Returns the mean cosine between the normals of faces and of their corners: 1 for a smooth surface, less
// for a box. Large meshes are sampled.
function smoothness(positions: Float32Array, normals: Float32Array, faces: ArrayLike<number>): number {
  const [a, b, c, n, m] = Array.from({ length: 5 }, () => new THREE.Vector3());
  let sum = 0, count = 0;
  for (let f = 0; f < faces.length; f += 3 * Math.max(1, Math.floor(faces.length / 30000))) {
    a.fromArray(positions, 3 * faces[f]);
    n.crossVectors(b.fromArray(positions, 3 * faces[f + 1]).sub(a), c.fromArray(positions, 3 * faces[f + 2]).sub(a));
    if (n.lengthSq() === 0) continue;
    n.normalize();
    for (let k = 0; k < 3; ++k, ++count) sum += n.dot(m.fromArray(normals, 3 * faces[f + k]));
  }
  return count ? sum / count : 1;
}

// Returns the edges of triangles, each once, as pairs of vertices.
function sides(faces: ArrayLike<number>, vertices: number): Uint32Array {
  const keys = new Float64Array(faces.length);
  for (let f = 0; f < faces.length; f += 3)
    for (let k = 0; k < 3; ++k) {
      const a = faces[f + k], b = faces[f + ((k + 1) % 3)];
      keys[f + k] = Math.min(a, b) * vertices + Math.max(a, b);
    }
  keys.sort();
  const index: number[] = [];
  for (let i = 0; i < keys.length; ++i)
    if (i === 0 || keys[i] !== keys[i - 1]) index.push(Math.floor(keys[i] / vertices), keys[i] % vertices);
  return new Uint32Array(index);
}

export class BodyView {
  readonly group = new THREE.Group();
  private readonly blend = { blend: { value: 0 } };
  private readonly geometry = new THREE.BufferGeometry();
  private readonly loaded = [-1, -1]; // the states in slots 0 and 1; -1: none
  private surface: THREE.Mesh | null = null;
  private lines: THREE.LineSegments | null = null;
  private rods: THREE.InstancedMesh | null = null;
  private balls: THREE.InstancedMesh | null = null;
  private isFloor = false;
  private now: Float32Array; // positions at the current time; kept up to date only for cylinders and balls

  constructor(
    private body: Body,
    size: number,
    floor: { middle: THREE.Vector3; reach: number } | null,
  ) {
    const color = new THREE.Color(...body.color);
    const count = body.vertexCount;
    this.now = new Float32Array(body.base);
    for (const name of ['position', 'nextPosition', 'normal', 'nextNormal'])
      this.geometry.setAttribute(name, new THREE.BufferAttribute(new Float32Array(3 * count), 3).setUsage(THREE.DynamicDrawUsage));
    this.load(0, 0);
    this.load(1, 0);
    if (body.faces.length) {
      this.geometry.setIndex(new THREE.BufferAttribute(body.faces, 1));
      const normals = this.attribute('normal', 0).array as Float32Array;
      const material = new THREE.MeshStandardMaterial({
        color,
        roughness: 0.62,
        metalness: 0,
        side: THREE.DoubleSide,
        flatShading: smoothness(body.base, normals, body.faces) < 0.86,
        polygonOffset: true,
        polygonOffsetFactor: 1,
        polygonOffsetUnits: 1,
      });
      blendVertices(material, this.blend);
      if (floor) fadeOut(material, floor.middle, floor.reach);
      this.isFloor = floor !== null;
      this.surface = new THREE.Mesh(this.geometry, material);
      if (floor) this.surface.renderOrder = -1;
      this.add(this.surface);
    }
    const radius = Math.max(body.radius, 0.0022 * size);
    const solid = new THREE.MeshStandardMaterial({ color, roughness: 0.55 });
    if (body.edges.length > 0 && body.edges.length / 2 <= mostSolids) {
      const tube = new THREE.CylinderGeometry(radius, radius, 1, 10, 1, true).rotateX(Math.PI / 2);
      this.rods = new THREE.InstancedMesh(tube, solid, body.edges.length / 2);
      this.add(this.rods);
    } else if (body.edges.length > 0) {
      this.addLines(new Uint32Array(body.edges), color);
    }
    // Cylinders end in balls of the same radius; the balls of points are larger.
    const ends = this.rods ? Array.from(new Set(body.edges)) : [];
    const dots = [...ends, ...body.points];
    if (dots.length > 0 && dots.length <= mostSolids) {
      this.balls = new THREE.InstancedMesh(new THREE.SphereGeometry(1, 14, 10), solid, dots.length);
      this.balls.userData = { dots, ends: ends.length, radius, large: Math.max(body.radius, 0.007 * size) };
      this.add(this.balls);
    } else if (dots.length > 0) {
      const geometry = new THREE.BufferGeometry();
      geometry.attributes = this.geometry.attributes;
      geometry.setIndex(new THREE.BufferAttribute(body.points, 1));
      const material = new THREE.PointsMaterial({ color, size: 3, sizeAttenuation: false });
      blendVertices(material, this.blend);
      this.add(new THREE.Points(geometry, material));
    }
    this.placeSolids();
  }

  // Sets the drawing style. lineColor: the color of the edges of triangles.
  setShading(shading: Shading, lineColor: THREE.Color) {
    if (!this.surface || this.isFloor) return;
    if (shading !== 'solid' && !this.lines) this.addLines(sides(this.body.faces, this.body.vertexCount), lineColor);
    this.surface.visible = shading !== 'wireframe';
    if (!this.lines) return;
    this.lines.visible = shading !== 'solid';
    const material = this.lines.material as THREE.LineBasicMaterial;
    material.color.copy(shading === 'wireframe' ? new THREE.Color(...this.body.color).lerp(lineColor, 0.25) : lineColor);
    material.opacity = shading === 'wireframe' ? 0.9 : 0.28;
  }

  // Draws another motion of the same body, which has the same vertices and faces. The color stays.
  replace(body: Body) {
    this.body = { ...body, color: this.body.color };
    this.loaded.fill(-1);
  }

  // Moves the body to a time.
  show(times: Float64Array, time: number) {
    const { from, to, part } = frameAt(times, time);
    if (this.body.rigid) {
      const { position, quaternion } = this.group;
      poseAt(this.body, from, to, part, position, quaternion);
      return;
    }
    const states = this.body.stateOfFrame;
    if (!states) return;
    const [first, second] = [states[from], states[to]];
    if (this.loaded[0] !== first && (this.loaded[1] === first || this.loaded[0] === second)) this.swap();
    this.load(0, first);
    this.load(1, second);
    this.blend.blend.value = part;
    if (this.rods || this.balls) {
      const a = this.attribute('position', 0).array, b = this.attribute('position', 1).array;
      for (let i = 0; i < this.now.length; ++i) this.now[i] = a[i] + part * (b[i] - a[i]);
      this.placeSolids();
    }
  }

  // Returns the position of a vertex at the current time, in the coordinates of the recording.
  vertex(index: number, into = new THREE.Vector3()): THREE.Vector3 {
    if (this.body.rigid) return into.fromArray(this.body.base, 3 * index).applyQuaternion(this.group.quaternion).add(this.group.position);
    const a = this.attribute('position', 0).array, b = this.attribute('position', 1).array;
    const part = this.blend.blend.value;
    const mix = (i: number) => a[i] + part * (b[i] - a[i]);
    return into.set(mix(3 * index), mix(3 * index + 1), mix(3 * index + 2));
  }

  private add(object: THREE.Object3D) {
    object.frustumCulled = false;
    this.group.add(object);
  }

  private attribute(name: 'position' | 'normal', slot: number): THREE.BufferAttribute {
    const key = slot === 0 ? name : 'next' + name[0].toUpperCase() + name.slice(1);
    return this.geometry.getAttribute(key) as THREE.BufferAttribute;
  }

  // Exchanges the states of the two slots without computing them again.
  private swap() {
    for (const name of ['position', 'normal'] as const) {
      const [first, second] = [this.attribute(name, 0), this.attribute(name, 1)];
      this.geometry.setAttribute(name, second);
      this.geometry.setAttribute(name === 'position' ? 'nextPosition' : 'nextNormal', first);
    }
    if (this.lines) this.lines.geometry.attributes = this.geometry.attributes;
    this.loaded.reverse();
  }

  // Computes a state into a slot unless the slot has that state.
  private load(slot: number, state: number) {
    if (this.loaded[slot] === state) return;
    this.loaded[slot] = state;
    const positions = this.attribute('position', slot), normals = this.attribute('normal', slot);
    statePositions(this.body, state, positions.array as Float32Array);
    positions.needsUpdate = true;
    if (!this.body.faces.length) return;
    vertexNormals(positions.array as Float32Array, this.body.faces, normals.array as Float32Array);
    normals.needsUpdate = true;
  }

  private addLines(index: Uint32Array, color: THREE.Color) {
    const geometry = new THREE.BufferGeometry();
    geometry.attributes = this.geometry.attributes;
    geometry.setIndex(new THREE.BufferAttribute(index, 1));
    const material = new THREE.LineBasicMaterial({ color, transparent: true });
    blendVertices(material, this.blend);
    this.lines = new THREE.LineSegments(geometry, material);
    this.add(this.lines);
  }

  // Moves the cylinders and balls to the current positions.
  private placeSolids() {
    const matrix = new THREE.Matrix4(), turn = new THREE.Quaternion(), along = new THREE.Vector3(0, 0, 1);
    const [a, b, d, scale] = Array.from({ length: 4 }, () => new THREE.Vector3());
    const { edges } = this.body;
    if (this.rods) {
      for (let e = 0; e < edges.length; e += 2) {
        a.fromArray(this.now, 3 * edges[e]);
        b.fromArray(this.now, 3 * edges[e + 1]);
        d.subVectors(b, a);
        const length = d.length();
        turn.setFromUnitVectors(along, length > 0 ? d.divideScalar(length) : along);
        this.rods.setMatrixAt(e / 2, matrix.compose(a.add(b).multiplyScalar(0.5), turn, scale.set(1, 1, length)));
      }
      this.rods.instanceMatrix.needsUpdate = true;
    }
    if (this.balls) {
      const { dots, ends, radius, large } = this.balls.userData as { dots: number[]; ends: number; radius: number; large: number };
      dots.forEach((vertex, i) => {
        const r = i < ends ? radius : large;
        matrix.makeScale(r, r, r).setPosition(a.fromArray(this.now, 3 * vertex));
        this.balls!.setMatrixAt(i, matrix);
      });
      this.balls.instanceMatrix.needsUpdate = true;
    }
  }
}

const turned = new THREE.Quaternion();
const moved = new THREE.Vector3();

// Computes the position and rotation of a rigid body at the fraction `part` between two frames.
export function poseAt(body: Body, from: number, to: number, part: number, position: THREE.Vector3, rotation: THREE.Quaternion) {
  const still = { t: body.translations.length === 3, q: body.rotations.length === 4 };
  position.fromArray(body.translations, still.t ? 0 : 3 * from);
  rotation.fromArray(body.rotations, still.q ? 0 : 4 * from);
  if (part > 0 && !still.t) position.lerp(moved.fromArray(body.translations, 3 * to), part);
  if (part > 0 && !still.q) rotation.slerp(turned.fromArray(body.rotations, 4 * to), part);
}
