/** Parts of a call have the bits of the whole, on random mixtures of all options. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sameBits } from '../support/bits.js';
import { randomCalls } from '../support/cases.js';
import { engines } from '../support/engines.js';
import { part, partOf } from '../support/parts.js';
import { attend } from '../support/attention/attend.js';

for (const { variant, ch } of engines) {
  const claim = (name, body) => test(`${name} (${variant})`, body);

  claim('a batch gives the bits of one by one', () => {
    let seen = 0;
    for (const { c, s, call } of randomCalls(1200, 12000)) {
      if (s.batch === 1) continue;
      const want = attend(ch, call);
      for (let b = 0; b < s.batch; b++)
        sameBits(
          attend(ch, part(call, s, { b: [b, b + 1] })),
          partOf(want, s, { b: [b, b + 1] }),
          `${c.name}, batch ${b}`,
        );
      seen++;
    }
    assert.ok(seen > 150);
  });

  claim('rows alone give the bits of rows together', () => {
    for (const { c, s, call } of randomCalls(600, 17000)) {
      const want = attend(ch, call);
      const step = Math.max(1, Math.ceil(s.m / 5));
      for (let i = 0; i < s.m; i += step)
        sameBits(
          attend(ch, part(call, s, { i: [i, i + 1] })),
          partOf(want, s, { i: [i, i + 1] }),
          `${c.name}, row ${i}`,
        );
      const middle = s.m >> 1;
      for (const i of [
        [0, middle],
        [middle, s.m],
      ])
        if (i[0] < i[1])
          sameBits(
            attend(ch, part(call, s, { i })),
            partOf(want, s, { i }),
            `${c.name}, rows ${i}`,
          );
    }
  });

  claim('a head alone gives the bits of heads together', () => {
    let seen = 0;
    for (const { c, s, call } of randomCalls(600, 20000)) {
      if (s.heads === 1) continue;
      const want = attend(ch, call);
      for (let h = 0; h < s.heads; h++)
        sameBits(
          attend(ch, part(call, s, { h: [h, h + 1] })),
          partOf(want, s, { h: [h, h + 1] }),
          `${c.name}, head ${h}`,
        );
      seen++;
    }
    assert.ok(seen > 150);
  });

  claim(
    'grouped queries give the bits of multi-head attention with repeated keys and values',
    () => {
      let seen = 0;
      for (const { c, s, call } of randomCalls(900, 23000)) {
        if (s.heads === s.kvHeads) continue;
        const group = s.heads / s.kvHeads;
        const repeat = (a, size) => {
          const out = new a.constructor(a.length * group);
          const length = s.n * size;
          for (let x = 0; x < s.batch * s.heads; x++)
            out.set(
              a.subarray(Math.floor(x / group) * length, (Math.floor(x / group) + 1) * length),
              x * length,
            );
          return out;
        };
        const result = attend(ch, {
          ...call,
          k: repeat(call.k, s.d),
          v: repeat(call.v, s.dv),
          options: { ...call.options, kvHeads: s.heads },
        });
        sameBits(result, attend(ch, call), c.name);
        seen++;
      }
      assert.ok(seen > 150);
    },
  );
}
