/**
 * Cases of causal attention and windows, with queries before, among and behind the keys; and of
 * softcap.
 */

/** @param {import("../cases.js").Add} add */
export function positions(add) {
  for (const offset of [-100, -5, -1, 0, 1, 30, 61, 1000]) {
    add(
      `causal, offset ${offset}`,
      { m: 9, n: 70 },
      { causal: true, offset },
      { empty: offset < -3 },
    );
    add(
      `window [3, 2], offset ${offset}`,
      { m: 9, n: 70 },
      { window: [3, 2], offset },
      { empty: offset < -5 || offset > 100 },
    );
  }
  add('causal, more queries than keys', { m: 70, n: 9 }, { causal: true });
  add(
    'causal, an offset for each batch',
    { batch: 3, m: 6, n: 20 },
    { causal: true, offset: Int32Array.of(-3, 0, 14) },
  );
  for (const window of [
    [0, 0],
    [3, 0],
    [0, 3],
    [Infinity, 2],
    [2, Infinity],
    [Infinity, Infinity],
    [64, 64],
    [127, 0],
    [1e9, 1e9],
  ])
    for (const causal of [false, true])
      add(
        `window [${window}]${causal ? ', causal' : ''}`,
        { m: 66, n: 140, d: 4 },
        { window, causal },
      );

  // Softcap.
  for (const softcap of [0.01, 0.5, 2, 30, 1e6])
    for (const amplitude of [0.1, 20])
      add(
        `softcap ${softcap}, amplitude ${amplitude}`,
        { m: 5, n: 40, d: 16 },
        { softcap },
        { amplitude },
      );
}
