/** A masked key has no influence at all. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sameArray, sameBits } from '../support/bits.js';
import { build, cases, randomCalls } from '../support/cases.js';
import { engines } from '../support/engines.js';
import { part, partOf } from '../support/parts.js';
import { random } from '../support/random.js';
import { attend } from '../support/attention/attend.js';
import { masked, poisons, put, rowsOf } from '../support/attention/masked.js';

for (const { variant, ch } of engines) {
  const claim = (name, body) => test(`${name} (${variant})`, body);

  claim('a key that no row attends to may be anything: not a bit changes', () => {
    let poisoned = 0;
    for (const { c, s, call, attends } of masked(400, 40000)) {
      const want = attend(ch, call);
      const r = random(c.seed);
      const kinds = poisons(call.q.constructor);
      const k = call.k.slice();
      const v = call.v.slice();
      for (let b = 0; b < s.batch; b++)
        for (let g = 0; g < s.kvHeads; g++)
          for (let j = 0; j < s.n; j++) {
            if ([...rowsOf(s, b, g)].some(([h, i]) => attends(b, h, i, j))) continue;
            put(k, s.d, s, b, g, j, r.pick(kinds));
            put(v, s.dv, s, b, g, j, r.pick(kinds));
            poisoned++;
          }
      sameBits(attend(ch, { ...call, k, v }), want, c.name);
      sameArray(attend(ch, { ...call, k, v }, {}).output, want.output, c.name);
    }
    assert.ok(poisoned > 1000);
  });

  claim('a key that some rows attend to is NaN for these and does not exist for the others', () => {
    let spared = 0;
    let hit = 0;
    for (const { c, s, call, attends } of masked(400, 50000)) {
      if (s.n === 0) continue;
      const want = attend(ch, call);
      const r = random(c.seed);
      const b = r.integer(0, s.batch - 1);
      const g = r.integer(0, s.kvHeads - 1);
      const j = r.pick([0, s.n - 1, r.integer(0, s.n - 1)]);
      const k = call.k.slice();
      const v = call.v.slice();
      if (r.chance(0.5)) put(k, s.d, s, b, g, j, NaN, r.integer(0, s.d - 1));
      put(v, s.dv, s, b, g, j, r.pick([NaN, Infinity, -Infinity]));
      const got = attend(ch, { ...call, k, v });
      for (let h = 0; h < s.heads; h++)
        for (let i = 0; i < s.m; i++)
          for (let other = 0; other < s.batch; other++) {
            const mine =
              other === b && Math.floor(h / (s.heads / s.kvHeads)) === g && attends(b, h, i, j);
            const range = { b: [other, other + 1], h: [h, h + 1], i: [i, i + 1] };
            const { output: row } = partOf(got, s, range);
            if (mine) {
              hit++;
              // a value of ±∞ under a weight of 0 is NaN too, under any other weight it is infinite
              assert.ok(
                row.every((x) => !Number.isFinite(x)) ||
                  call.options.temperature === 0 ||
                  partOf(want, s, range).weights[j] === 0,
                `${c.name}: row ${i} of head ${h} attends to key ${j}, but is ${row}`,
              );
            } else {
              spared++;
              sameBits(
                partOf(got, s, range),
                partOf(want, s, range),
                `${c.name}: row ${i} of head ${h}, which does not attend to key ${j}`,
              );
            }
          }
    }
    assert.ok(spared > 1000 && hit > 1000, `${spared} spared, ${hit} hit`);
  });

  claim('masked keys at the end are the same as keys that are not there', () => {
    for (const { c, s, call } of randomCalls(300, 60000)) {
      const r = random(c.seed);
      const n = r.integer(0, s.n);
      const short = part(call, s, { n });
      const Type = call.q.constructor;
      const ends = [
        {
          keyLengths: Int32Array.from({ length: s.batch }, (_, b) =>
            Math.min(n, call.options.keyLengths?.[b] ?? n),
          ),
        },
        {
          mask: { data: Uint8Array.from({ length: s.n }, (_, j) => (j < n ? 1 : 0)), shape: [s.n] },
        },
        {
          mask: {
            data: Type.from({ length: s.n }, (_, j) => (j < n ? 0 : -Infinity)),
            shape: [1, s.n],
          },
        },
        ...(n > 1 ? [{ mask: { data: new Uint8Array(n).fill(1), shape: [n] } }] : []),
      ];
      const want = attend(ch, { ...short, options: { ...short.options, mask: undefined } });
      for (const end of ends) {
        const whole = attend(ch, {
          ...call,
          options: { ...call.options, mask: undefined, ...end },
        });
        const range = { n };
        sameBits(
          partOf(whole, s, range),
          want,
          `${c.name}, ${n} of ${s.n} keys, by ${Object.keys(end)}`,
        );
        assert.ok(
          whole.weights.every((w, x) => x % s.n < n || w === 0),
          `${c.name}: a masked key has weight`,
        );
      }
    }
  });

  claim('a boolean mask and the same mask of 0 and −∞ give the same bits', () => {
    for (const { c, s, call } of randomCalls(200, 70000)) {
      const r = random(c.seed);
      const data = Uint8Array.from({ length: s.m * s.n }, () => r.integer(0, 2));
      const shape = [s.m, s.n];
      const add = { data: call.q.constructor.from(data, (x) => (x ? 0 : -Infinity)), shape };
      sameBits(
        attend(ch, { ...call, options: { ...call.options, mask: add } }),
        attend(ch, { ...call, options: { ...call.options, mask: { data, shape } } }),
        c.name,
      );
    }
  });

  claim('every mask case of the table: rows without keys are exact zeros with lse −∞', () => {
    let empty = 0;
    for (const c of cases)
      for (const Type of [Float32Array, Float64Array]) {
        const call = build(c, Type, 'bhsd');
        const got = attend(ch, call);
        const { n, dv } = c.shape;
        got.stats.n.forEach((count, row) => {
          if (count) return;
          empty++;
          assert.ok(
            got.output.subarray(row * dv, (row + 1) * dv).every((x) => Object.is(x, 0)),
            c.name,
          );
          assert.ok(
            got.weights.subarray(row * n, (row + 1) * n).every((x) => Object.is(x, 0)),
            c.name,
          );
          assert.deepEqual(
            [
              got.lse[row],
              ...['entropy', 'kl', 'expectedScore', 'maxWeight', 'argmax', 'variance'].map(
                (name) => got.stats[name][row],
              ),
            ],
            [-Infinity, 0, 0, 0, 0, 0, 0],
            c.name,
          );
        });
      }
    assert.ok(empty > 100);
  });
}
