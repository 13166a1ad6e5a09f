// Reads the triangles of a glTF file: .glb, or .gltf with its buffers inside. All meshes of the scene become
// one mesh, each placed by its nodes. Coordinates are 32-bit floats in the file.
import type { MeshParts } from './record';

interface Gltf {
  scene?: number;
  scenes?: { nodes?: number[] }[];
  nodes?: { mesh?: number; children?: number[]; matrix?: number[]; translation?: number[]; rotation?: number[]; scale?: number[] }[];
  meshes?: { primitives: { attributes: { POSITION?: number }; indices?: number; mode?: number }[] }[];
  accessors?: { bufferView?: number; byteOffset?: number; componentType: number; count: number; type: string; sparse?: unknown }[];
  bufferViews?: { buffer: number; byteOffset?: number; byteLength: number; byteStride?: number }[];
  buffers?: { uri?: string; byteLength: number }[];
  extensions?: { GRAZE_contacts?: unknown };
  extensionsRequired?: string[];
}

type Matrix = number[]; // 16, by columns, as in glTF

function split(bytes: Uint8Array, name: string): { json: Gltf; binary: Uint8Array } {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const parse = (part: Uint8Array) => {
    try {
      return JSON.parse(new TextDecoder().decode(part)) as Gltf;
    } catch {
      throw new Error(`${name}: the glTF text is not JSON`);
    }
  };
  if (bytes.length < 20 || view.getUint32(0, true) !== 0x46546c67) return { json: parse(bytes), binary: new Uint8Array(0) };
  const length = view.getUint32(12, true);
  if (view.getUint32(16, true) !== 0x4e4f534a || 20 + length > bytes.length) throw new Error(`${name}: the .glb file ends early`);
  return { json: parse(bytes.subarray(20, 20 + length)), binary: bytes.subarray(Math.min(bytes.length, 28 + length)) };
}

// Returns whether a .glb file is a recording that Graze wrote.
export function isRecording(bytes: Uint8Array, name: string): boolean {
  return split(bytes, name).json.extensions?.GRAZE_contacts !== undefined;
}

function multiply(a: Matrix, b: Matrix): Matrix {
  return Array.from({ length: 16 }, (_, i) => [0, 1, 2, 3].reduce((sum, k) => sum + a[4 * k + (i % 4)] * b[4 * Math.floor(i / 4) + k], 0));
}

function localMatrix({ matrix, translation: t = [0, 0, 0], rotation: [x, y, z, w] = [0, 0, 0, 1], scale: s = [1, 1, 1] }: NonNullable<Gltf['nodes']>[number]): Matrix {
  if (matrix) return matrix;
  return [
    (1 - 2 * (y * y + z * z)) * s[0], 2 * (x * y + w * z) * s[0], 2 * (x * z - w * y) * s[0], 0,
    2 * (x * y - w * z) * s[1], (1 - 2 * (x * x + z * z)) * s[1], 2 * (y * z + w * x) * s[1], 0,
    2 * (x * z + w * y) * s[2], 2 * (y * z - w * x) * s[2], (1 - 2 * (x * x + y * y)) * s[2], 0,
    t[0], t[1], t[2], 1,
  ];
}

const identity: Matrix = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];

// Throws an Error that names the file and what is wrong.
export function readGltf(bytes: Uint8Array, name: string): MeshParts {
  const { json, binary } = split(bytes, name);
  const fail = (reason: string): never => {
    throw new Error(`${name}: ${reason}`);
  };
  if (json.extensionsRequired?.length) fail(`needs the glTF extensions ${json.extensionsRequired.join(', ')}, which are not read`);
  const buffers = (json.buffers ?? []).map(({ uri }) => {
    if (uri === undefined) return binary;
    const data = /^data:[^,]*;base64,(.*)$/s.exec(uri);
    if (!data) return fail(`its buffer ${uri.slice(0, 60)} is in another file; use .glb, or embed the buffer`);
    return Uint8Array.from(atob(data[1]), (c) => c.charCodeAt(0));
  });
  const sizes: Record<number, number> = { 5121: 1, 5123: 2, 5125: 4, 5126: 4 };
  const read = (index: number, width: number): number[] => {
    const accessor = json.accessors?.[index] ?? fail(`has no accessor ${index}`);
    const view = json.bufferViews?.[accessor.bufferView ?? -1] ?? fail(`accessor ${index} has no buffer view`);
    if (accessor.sparse) fail(`accessor ${index} is sparse, which is not read`);
    const size = sizes[accessor.componentType] ?? fail(`accessor ${index} has the component type ${accessor.componentType}, which is not read`);
    const buffer = buffers[view.buffer] ?? fail(`has no buffer ${view.buffer}`);
    const stride = view.byteStride ?? size * width;
    const begin = (view.byteOffset ?? 0) + (accessor.byteOffset ?? 0);
    if (accessor.count > 0 && begin + stride * (accessor.count - 1) + size * width > buffer.length) fail(`accessor ${index} ends beyond its buffer`);
    const data = new DataView(buffer.buffer, buffer.byteOffset, buffer.byteLength);
    const number = (at: number) =>
      size === 1 ? data.getUint8(at) : size === 2 ? data.getUint16(at, true) : accessor.componentType === 5126 ? data.getFloat32(at, true) : data.getUint32(at, true);
    return Array.from({ length: accessor.count * width }, (_, i) => number(begin + stride * Math.floor(i / width) + size * (i % width)));
  };

  const positions: number[] = [];
  const faces: number[] = [];
  const visit = (index: number, above: Matrix, depth: number) => {
    const node = json.nodes?.[index] ?? fail(`has no node ${index}`);
    if (depth > 100) fail('its nodes form a loop');
    const m = multiply(above, localMatrix(node));
    for (const { attributes, indices, mode = 4 } of node.mesh === undefined ? [] : (json.meshes?.[node.mesh]?.primitives ?? [])) {
      if (mode !== 4 || attributes.POSITION === undefined) continue;
      const first = positions.length / 3;
      const points = read(attributes.POSITION, 3);
      for (let i = 0; i < points.length; i += 3)
        for (let axis = 0; axis < 3; ++axis) positions.push(m[axis] * points[i] + m[4 + axis] * points[i + 1] + m[8 + axis] * points[i + 2] + m[12 + axis]);
      const corners = indices === undefined ? points.slice(0, points.length / 3).map((_, i) => i) : read(indices, 1);
      for (const corner of corners) {
        if (corner >= points.length / 3) fail(`index ${corner} names no vertex: there are ${points.length / 3}, counted from 0`);
        faces.push(first + corner);
      }
    }
    for (const child of node.children ?? []) visit(child, m, depth + 1);
  };
  for (const root of json.scenes?.[json.scene ?? 0]?.nodes ?? []) visit(root, identity, 0);
  if (faces.length === 0) fail('holds no triangles');
  if (faces.length % 3 !== 0) fail('has a number of corners that is no multiple of three');
  return { positions: Float64Array.from(positions), faces: Uint32Array.from(faces), rods: new Uint32Array(0) };
}
