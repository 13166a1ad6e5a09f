import * as THREE from 'three';

import { Contact } from './recording';

// The marks at the current contact: its two features, a ring around the point, and the normal. All
// objects are made once and changed in place, so stepping over contacts allocates nothing on the
// graphics card.

const colors = [new THREE.Color('#ffb000'), new THREE.Color('#12b5a5')]; // of feature a, of feature b
const red = '#e5484d';

// A vertex, an edge or a convex polygon, drawn on top of the scene.
class FeatureMark {
  readonly group = new THREE.Group();
  private readonly corners: THREE.BufferAttribute;
  private readonly surface: THREE.Mesh;
  private readonly outline: THREE.LineLoop;
  private readonly points: THREE.Points<THREE.BufferGeometry, THREE.PointsMaterial>;

  // capacity: the largest number of corners that show() may get.
  constructor(color: THREE.Color, capacity: number, disc: THREE.Texture) {
    this.corners = new THREE.BufferAttribute(new Float32Array(3 * capacity), 3).setUsage(THREE.DynamicDrawUsage);
    const over = { color, depthTest: false, transparent: true };
    const geometry = () => new THREE.BufferGeometry().setAttribute('position', this.corners);
    const fan: number[] = [];
    for (let k = 2; k < capacity; ++k) fan.push(0, k - 1, k);
    this.surface = new THREE.Mesh(geometry().setIndex(fan), new THREE.MeshBasicMaterial({ ...over, side: THREE.DoubleSide, opacity: 0.55 }));
    this.outline = new THREE.LineLoop(geometry(), new THREE.LineBasicMaterial(over));
    this.points = new THREE.Points(geometry(), new THREE.PointsMaterial({ ...over, sizeAttenuation: false, map: disc, alphaTest: 0.3 }));
    [this.surface, this.outline, this.points].forEach((object, k) => {
      object.renderOrder = 10 + k;
      object.frustumCulled = false;
      this.group.add(object);
    });
  }

  show(corners: THREE.Vector3[]) {
    const count = corners.length;
    corners.forEach((corner, k) => this.corners.setXYZ(k, corner.x, corner.y, corner.z));
    this.corners.needsUpdate = true;
    this.surface.geometry.setDrawRange(0, Math.max(0, 3 * (count - 2)));
    this.outline.geometry.setDrawRange(0, count);
    this.points.geometry.setDrawRange(0, count);
    this.surface.visible = count >= 3;
    this.outline.visible = count >= 2;
    this.points.visible = count === 1 || count === 2;
    this.points.material.size = count === 1 ? 9 : 6; // pixels
  }
}

export class ContactMarks {
  readonly group = new THREE.Group();
  private readonly features: [FeatureMark, FeatureMark];
  private readonly ring: THREE.Sprite;
  private readonly arrow = new THREE.Group();

  // capacity: the largest number of vertices of a feature. size: the diameter of the scene.
  constructor(
    capacity: number,
    private readonly size: number,
  ) {
    const disc = discTexture();
    this.features = [new FeatureMark(colors[0], capacity, disc), new FeatureMark(colors[1], capacity, disc)];
    this.ring = new THREE.Sprite(new THREE.SpriteMaterial({ map: ringTexture(), depthTest: false, sizeAttenuation: false, transparent: true }));
    this.ring.scale.setScalar(0.05);
    this.ring.renderOrder = 12;
    const material = new THREE.MeshBasicMaterial({ color: red, depthTest: false, transparent: true });
    const shaft = new THREE.Mesh(new THREE.CylinderGeometry(0.012, 0.012, 0.8, 8).translate(0, 0.4, 0), material);
    const tip = new THREE.Mesh(new THREE.ConeGeometry(0.045, 0.2, 16).translate(0, 0.9, 0), material);
    shaft.renderOrder = tip.renderOrder = 13;
    this.arrow.add(shaft, tip);
    this.group.add(...this.features.map((feature) => feature.group), this.ring, this.arrow);
    this.hide();
  }

  // Marks a contact. corners(side) returns the present positions of the vertices of a feature.
  show(contact: Contact, corners: (side: 0 | 1) => THREE.Vector3[]) {
    this.group.visible = true;
    for (const side of [0, 1] as const) this.features[side].show(corners(side));
    this.ring.position.set(...contact.point);
    this.arrow.visible = contact.normal !== null;
    if (!contact.normal) return;
    this.arrow.position.set(...contact.point);
    this.arrow.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), new THREE.Vector3(...contact.normal).normalize());
  }

  hide() {
    this.group.visible = false;
  }

  // Sets the length of the arrow so that its size on the screen is about the same from near and from far.
  adapt(camera: THREE.Camera) {
    this.arrow.scale.setScalar(Math.min(0.12 * this.size, 0.14 * camera.position.distanceTo(this.arrow.position)));
  }
}

function texture(draw: (context: CanvasRenderingContext2D) => void): THREE.Texture {
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = 128;
  draw(canvas.getContext('2d')!);
  const made = new THREE.CanvasTexture(canvas);
  made.colorSpace = THREE.SRGBColorSpace;
  return made;
}

const ringTexture = () =>
  texture((context) => {
    context.lineWidth = 7;
    context.strokeStyle = red;
    context.beginPath();
    context.arc(64, 64, 54, 0, 2 * Math.PI);
    context.stroke();
    context.fillStyle = red;
    context.beginPath();
    context.arc(64, 64, 7, 0, 2 * Math.PI);
    context.fill();
  });

const discTexture = () =>
  texture((context) => {
    context.fillStyle = '#fff';
    context.beginPath();
    context.arc(64, 64, 60, 0, 2 * Math.PI);
    context.fill();
  });
