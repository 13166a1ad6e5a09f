// A query of the playground: four corners at the start and four at the end, exactly.

export type Kind = 'vertex-face' | 'edge-edge';

export interface PlayQuery {
  kind: Kind;
  numbers: Float64Array; // 24: the corners at the start, then at the end
}

export const cornerNames: Record<Kind, string[]> = {
  'vertex-face': ['vertex', 'face 0', 'face 1', 'face 2'],
  'edge-edge': ['edge a 0', 'edge a 1', 'edge b 0', 'edge b 1'],
};

const bits = new DataView(new ArrayBuffer(8));
const infinityBits = 0x7ff0000000000000n;

// Returns a double as a hexadecimal number of C, such as -0x1.8p-3. NaN and infinity keep their names.
export function toHex(x: number): string {
  if (!Number.isFinite(x)) return String(x);
  bits.setFloat64(0, x);
  const all = bits.getBigUint64(0);
  const sign = all >> 63n ? '-' : '';
  const exponent = Number((all >> 52n) & 0x7ffn);
  const mantissa = (all & 0xfffffffffffffn).toString(16).padStart(13, '0').replace(/0+$/, '');
  if (exponent === 0 && mantissa === '') return `${sign}0x0p+0`;
  const power = exponent === 0 ? -1022 : exponent - 1023;
  return `${sign}0x${exponent === 0 ? 0 : 1}${mantissa && '.' + mantissa}p${power < 0 ? '' : '+'}${power}`;
}

// Returns the double that a decimal or hexadecimal number denotes; NaN if the text is neither, or if a
// hexadecimal number is no double.
export function parseNumber(text: string): number {
  const hex = /^([+-]?)0x([0-9a-f]+)(?:\.([0-9a-f]*))?p([+-]?\d{1,5})$/i.exec(text.trim());
  if (!hex) return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text.trim()) ? Number(text) : NaN;
  const [, sign, whole, part = '', power] = hex;
  let digits = BigInt('0x' + whole + part);
  if (digits === 0n) return sign === '-' ? -0 : 0;
  let exponent = Number(power) - 4 * part.length;
  while (digits % 2n === 0n) {
    digits /= 2n;
    ++exponent;
  }
  const length = digits.toString(2).length;
  if (length > 53 || exponent < -1074 || exponent + length > 1024) return NaN;
  // Two factors, since 2^exponent alone may be no double. Both products are exact.
  const half = Math.trunc(exponent / 2);
  const value = Number(digits) * 2 ** half * 2 ** (exponent - half);
  return sign === '-' ? -value : value;
}

// Returns the next double above (steps = 1) or below (steps = -1). Stops at the largest double.
export function nextDouble(x: number, steps: 1 | -1): number {
  if (!Number.isFinite(x)) return x;
  bits.setFloat64(0, x === 0 ? 0 : x);
  const all = bits.getBigUint64(0);
  const order = all >> 63n ? -(all & 0x7fffffffffffffffn) : all; // increasing in x
  const next = order + BigInt(steps);
  const size = next < 0n ? -next : next;
  if (size >= infinityBits) return x;
  bits.setBigUint64(0, size);
  return next < 0n ? -bits.getFloat64(0) : bits.getFloat64(0);
}

// Returns the fragment of a link that holds the query exactly.
export function toFragment({ kind, numbers }: PlayQuery): string {
  return `#query=${kind}:${Array.from(numbers, toHex).join(',')}`;
}

// Returns the query of a fragment; null if there is none. Throws an Error that names what is wrong.
export function fromFragment(fragment: string): PlayQuery | null {
  const text = decodeURIComponent(fragment);
  if (!text.startsWith('#query=')) return null;
  const [kind, list = ''] = text.slice('#query='.length).split(':');
  if (kind !== 'vertex-face' && kind !== 'edge-edge') throw new Error(`The link holds a query of the unknown kind "${kind}".`);
  const words = list.split(',');
  if (words.length !== 24) throw new Error(`The link holds ${words.length} numbers, not 24.`);
  const numbers = Float64Array.from(words, parseNumber);
  const bad = numbers.findIndex((x) => !Number.isFinite(x));
  if (bad >= 0) throw new Error(`Number ${bad + 1} of the link, "${words[bad]}", is no finite double.`);
  return { kind, numbers };
}

export interface CorpusEntry {
  name: string;
  comment: string;
  query: PlayQuery;
}

// Reads a file of test/corpus.
export function parseCorpus(name: string, text: string): CorpusEntry {
  const lines = text.split('\n').map((line) => line.trim());
  const comment = lines.filter((line) => line.startsWith('#')).map((line) => line.slice(1).trim()).join(' ');
  const [head, ...rows] = lines.filter((line) => line !== '' && !line.startsWith('#'));
  const kind = head.split(/\s+/)[0] as Kind;
  const numbers = Float64Array.from(rows.flatMap((row) => row.split(/\s+/)), parseNumber);
  if (!(kind in cornerNames) || numbers.length !== 24 || numbers.some(Number.isNaN)) throw new Error(`${name}: is no corpus entry`);
  return { name, comment, query: { kind, numbers } };
}

const rowsOf = (numbers: Float64Array, open: string, close: string, separator: string) =>
  Array.from({ length: 8 }, (_, i) => open + Array.from(numbers.subarray(3 * i, 3 * i + 3), toHex).join(separator) + close);

// Returns the query as a file of test/corpus.
export function corpusText({ kind, numbers }: PlayQuery, truth: { toi: number; toiHi: number } | null): string {
  const verdict = truth ? `contact ${toHex(truth.toi)} ${toHex(truth.toiHi)}` : 'separated';
  return `# From the playground.\n${kind} ${verdict}\n${rowsOf(numbers, '', '', ' ').join('\n')}\n`;
}

// Returns a C++ program that answers the query.
export function cppText({ kind, numbers }: PlayQuery): string {
  const type = kind === 'vertex-face' ? 'VertexFace' : 'EdgeEdge';
  const rows = rowsOf(numbers, '{', '}', ', ').map((row) => `graze::Vec3${row}`);
  return `#include <cstdio>

#include "graze/first_contact.h"

int main() {
  const graze::${type} query{
      {${rows.slice(0, 4).join(',\n       ')}},
      {${rows.slice(4).join(',\n       ')}}};
  const graze::Impact impact = graze::first_contact(query);
  std::printf("%s %.17g\\n", name(impact.verdict), impact.toi);
}
`;
}

// Returns a Python program that answers the query.
export function pythonText({ kind, numbers }: PlayQuery): string {
  const rows = Array.from({ length: 8 }, (_, i) => '    ' + Array.from(numbers.subarray(3 * i, 3 * i + 3), (x) => `"${toHex(x)}"`).join(', '));
  return `import graze
import numpy as np

numbers = [
${rows.join(',\n')},
]
query = np.array([float.fromhex(x) for x in numbers]).reshape(1, 8, 3)
print(graze.first_contact(query, kind="${kind}"))
`;
}
