/** Cases of masks: rank 1 to 4, broadcast axes, a short last axis, and the keys that remain. */
import { array, boolMask, floatMask } from './mixtures.js';

/** @param {import("../cases.js").Add} add */
export function masks(add) {
  const s4 = { batch: 2, heads: 4, kvHeads: 2, m: 5, n: 70, d: 8 };
  for (const shape of [
    [70],
    [1],
    [5, 70],
    [1, 70],
    [5, 1],
    [4, 5, 70],
    [1, 5, 70],
    [4, 1, 1],
    [2, 4, 5, 70],
    [2, 1, 5, 70],
    [1, 4, 1, 70],
    [2, 1, 1, 1],
    [66],
    [5, 64],
    [2, 1, 5, 3],
    [4, 1, 65],
  ]) {
    const filled = shape.at(-1) !== 1;
    add(
      `boolean mask [${shape}]`,
      s4,
      (r) => ({ mask: boolMask(r, shape, (x) => (filled ? r.chance(0.7) : x % 3 !== 1)) }),
      {
        empty: `${shape}` === '2,1,1,1',
      },
    );
    add(`additive mask [${shape}]`, s4, (r, s, T) => ({
      mask: floatMask(r, T, shape, filled ? 0.3 : 0),
    }));
  }
  const leave = {
    'every row empty': [() => 0, true],
    'row 2 empty': [(x) => Math.floor(x / 200) !== 2, false],
    'all but row 1 empty': [(x) => Math.floor(x / 200) === 1, true],
    'the last key alone': [(x) => x % 200 === 199, false],
    'the first key alone': [(x) => x % 200 === 0, false],
    'every other key': [(x) => x % 2, false],
    'keys from 3 on': [(x) => x % 200 >= 3, false],
    'the first 64 keys empty': [(x) => x % 200 >= 64, false],
    'keys 64 to 127 empty': [(x) => x % 200 < 64 || x % 200 >= 128, false],
    'keys from 127 on': [(x) => x % 200 >= 127, false],
    'keys before 65': [(x) => x % 200 < 65, false],
    'key 70 alone in row 0': [(x) => x >= 200 || x === 70, false],
  };
  for (const [what, [attend, empty]] of Object.entries(leave)) {
    add(
      `boolean mask leaves ${what}`,
      { m: 5, n: 200 },
      (r) => ({ mask: boolMask(r, [5, 200], attend) }),
      { empty },
    );
    add(
      `−∞ mask leaves ${what}`,
      { m: 5, n: 200 },
      (r, s, T) => ({
        mask: { data: array(T, 1000, (x) => (attend(x) ? 0 : -Infinity)), shape: [5, 200] },
      }),
      { empty },
    );
  }
  for (const huge of [-1e9, -3e38, 80])
    add(`bias ${huge} on every key`, { m: 3, n: 70 }, (r, s, T) => ({
      mask: { data: T.from([huge]), shape: [1] },
    }));
  add('bias −1e9 on some keys', { m: 5, n: 70 }, (r, s, T) => ({
    mask: { data: array(T, 70, (x) => (x % 3 ? 0 : -1e9)), shape: [70] },
  }));
  add('key lengths 0, 1, n', { batch: 3, m: 4, n: 70 }, { keyLengths: Int32Array.of(0, 1, 70) });
  add(
    'key lengths, causal, offsets',
    { batch: 3, heads: 2, m: 4, n: 70 },
    { keyLengths: Int32Array.of(5, 64, 65), causal: true, offset: Int32Array.of(1, 60, 61) },
  );
}
