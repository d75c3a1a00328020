/** Comparing results to the last bit. */
import assert from 'node:assert/strict';

const bytes = (a) => Buffer.from(a.buffer, a.byteOffset, a.byteLength);

/** Every array in order: [name, typed array]. */
export function* arrays(result, path = '') {
  for (const [name, value] of Object.entries(result)) {
    if (ArrayBuffer.isView(value)) yield [path + name, value];
    else if (value && typeof value === 'object') yield* arrays(value, `${path}${name}.`);
  }
}

/** The same type, length and bits: 0 and −0 differ, NaN equals only the same NaN. */
export function sameArray(got, want, what) {
  assert.equal(got.constructor, want.constructor, `${what}: type`);
  assert.equal(got.length, want.length, `${what}: length`);
  if (bytes(got).equals(bytes(want))) return;
  const at = got.findIndex(
    (x, i) => !bytes(got.subarray(i, i + 1)).equals(bytes(want.subarray(i, i + 1))),
  );
  assert.fail(`${what}: element ${at} of ${got.length} is ${got[at]}, not the bits of ${want[at]}`);
}

/** Two results (or any objects of arrays) hold the same arrays with the same bits. */
export function sameBits(got, want, what = 'result') {
  const list = [...arrays(want)];
  const found = new Map(arrays(got));
  assert.deepEqual([...found.keys()].sort(), list.map(([name]) => name).sort(), `${what}: arrays`);
  for (const [name, array] of list) sameArray(found.get(name), array, `${what}: ${name}`);
}
