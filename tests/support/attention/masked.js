/** Random calls with masks, and keys or values with other numbers in them. */
import { randomCalls } from '../cases.js';
import { reference } from '../reference.js';

/** Bytes of fresh memory, NaN, and the infinities, as any masked value may be. */
export const poisons = (Type) => [
  NaN,
  Infinity,
  -Infinity,
  new Type(Uint8Array.from({ length: 8 }, () => 0xcd).buffer)[0],
];

/** Random calls with some mask, and which positions a row attends to. */
export function* masked(count, from) {
  const accept = ({ call: { options } }) =>
    options.causal || options.window || options.mask || options.keyLengths;
  for (const entry of randomCalls(count, from, { accept })) {
    const { s, call } = entry;
    const { masked: scores } = reference(call.q, call.k, call.v, call.options);
    yield {
      ...entry,
      attends: (b, h, i, j) => scores[((b * s.heads + h) * s.m + i) * s.n + j] !== -Infinity,
    };
  }
}

/** Rows [(b, h, i)] of a shape that share kv head g of batch b. */
export function* rowsOf(s, b, g) {
  const group = s.heads / s.kvHeads;
  for (let h = g * group; h < (g + 1) * group; h++) for (let i = 0; i < s.m; i++) yield [h, i];
}

/** Writes x into every channel (or one) of key or value j of kv head g of batch b. */
export function put(a, size, s, b, g, j, x, channel) {
  const at = ((b * s.kvHeads + g) * s.n + j) * size;
  if (channel === undefined) a.fill(x, at, at + size);
  else a[at + channel] = x;
}
