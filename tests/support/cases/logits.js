/** Cases of flat and steep logits: families of data, scales and temperatures. */
import { floatMask } from './mixtures.js';
import { families } from '../random.js';

/** @param {import("../cases.js").Add} add */
export function logits(add) {
  // Families of data, from flat to steep logits.
  for (const family of Object.keys(families))
    for (const amplitude of [0.1, 1, 8])
      add(
        `${family} data, amplitude ${amplitude}`,
        { m: 5, n: 70, d: 16, dv: 7 },
        {},
        { family, amplitude },
      );

  // Scale and temperature, and its limits.
  for (const scale of [0, -0.5, 1, 1e-20, 3]) add(`scale ${scale}`, { m: 4, n: 33 }, { scale });
  for (const power of [-66, -65, -64, -63, -62, 62, 63, 64, 65])
    add(
      `scale 0.3·2^${power}, temperature 2^${power}`,
      { m: 5, n: 1030 },
      { scale: 0.3 * 2 ** power, temperature: 2 ** power },
    );
  for (const temperature of [0, 1e-3, 0.3, 1, 1e3, 1e30, 1e308, Infinity]) {
    const T = { temperature };
    add(`T = ${temperature}`, { m: 9, n: 40, d: 16 }, T);
    add(`T = ${temperature}, causal`, { m: 9, n: 40, d: 16 }, { ...T, causal: true, offset: 20 });
    add(`T = ${temperature}, sinks, two heads`, { heads: 2, m: 7, n: 33, d: 16 }, (r, s, A) => ({
      ...T,
      sinks: A.from([0.5, -4]),
    }));
    add(
      `T = ${temperature}, softcap and bias`,
      { m: 7, n: 33, d: 16 },
      (r, s, A) => ({ ...T, softcap: 3, mask: floatMask(r, A, [7, 33], 0.3) }),
      { amplitude: 3 },
    );
    add(
      `T = ${temperature}, exact ties`,
      { m: 9, n: 40, d: 4, dv: 5 },
      { ...T, scale: 0.5 },
      { family: 'integer' },
    );
    add(`T = ${temperature}, all logits equal`, { m: 5, n: 37, d: 4 }, T, { family: 'constant' });
  }
  add(
    'T = 0, a sink above every key',
    { m: 3, n: 9, d: 4 },
    (r, s, A) => ({ temperature: 0, sinks: A.from([1e6]) }),
    {
      empty: true,
    },
  );
  add('T = 0, a sink equal to the best keys', { m: 3, n: 9, d: 4 }, (r, s, A) => ({
    temperature: 0,
    scale: 0,
    sinks: A.from([0]),
  }));
}
