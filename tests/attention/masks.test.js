/**
 * A masked key has no influence at all. NaN spreads to the results that depend on it and nowhere
 * else.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sameArray, sameBits } from '../support/bits.js';
import { build, cases, randomCalls } from '../support/cases.js';
import { engines } from '../support/engines.js';
import { part, partOf } from '../support/parts.js';
import { fill, random } from '../support/random.js';
import { reference } from '../support/reference.js';

const all = { weights: true, lse: true, stats: true };
const attend = (ch, { q, k, v, options }, want = all) =>
  ch.attention(q, k, v, { ...options, want });

/** Bytes of fresh memory, NaN, and the infinities, as any masked value may be. */
const poisons = (Type) => [
  NaN,
  Infinity,
  -Infinity,
  new Type(Uint8Array.from({ length: 8 }, () => 0xcd).buffer)[0],
];

/** Random calls with some mask, and which positions a row attends to. */
function* masked(count, from) {
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
function* rowsOf(s, b, g) {
  const group = s.heads / s.kvHeads;
  for (let h = g * group; h < (g + 1) * group; h++) for (let i = 0; i < s.m; i++) yield [h, i];
}

/** Writes x into every channel (or one) of key or value j of kv head g of batch b. */
function put(a, size, s, b, g, j, x, channel) {
  const at = ((b * s.kvHeads + g) * s.n + j) * size;
  if (channel === undefined) a.fill(x, at, at + size);
  else a[at + channel] = x;
}

for (const { variant, ch } of engines) {
  const claim = (name, body) => test(`${name} (${variant})`, body);

  claim('what no row attends to may hold anything: not a bit changes', () => {
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

  claim('NaN in a query, key or value reaches its results, at every lane and tail', () => {
    for (const Type of [Float32Array, Float64Array])
      for (const [n, d, dv] of [
        [1, 1, 1],
        [7, 5, 6],
        [70, 16, 9],
        [130, 7, 4],
        [600, 3, 5],
      ]) {
        const s = { batch: 1, heads: 2, kvHeads: 2, m: 5, n, d, dv };
        const { q, k, v } = fill('normal', random(n), s, 1, Type);
        const options = { heads: 2, headDim: d, valueDim: dv };
        const want = attend(ch, { q, k, v, options });
        const nans = (a, width) =>
          Array.from({ length: a.length / width }, (_, x) =>
            Number(a.subarray(x * width, (x + 1) * width).some(Number.isNaN)),
          );
        for (const channel of new Set([0, d >> 1, d - 1]))
          for (const i of [0, 4]) {
            const bad = q.slice();
            bad[(1 * 5 + i) * d + channel] = NaN;
            const got = attend(ch, { q: bad, k, v, options });
            const expected = Array.from({ length: 10 }, (_, row) => Number(row === 5 + i));
            assert.deepEqual(nans(got.output, dv), expected, `NaN in query ${i}`);
            for (const name of ['lse', 'entropy', 'kl', 'expectedScore', 'maxWeight'])
              assert.deepEqual(
                nans(got.lse && (got.stats[name] ?? got.lse), 1),
                expected,
                `NaN in query ${i}: ${name}`,
              );
            assert.ok(got.weights.subarray((5 + i) * n, (6 + i) * n).every(Number.isNaN));
            sameBits(
              partOf(got, s, { h: [0, 1] }),
              partOf(want, s, { h: [0, 1] }),
              'the other head',
            );
          }
        for (const j of new Set([0, 1, n >> 1, n - 1].filter((x) => x < n))) {
          for (const channel of new Set([0, d - 1])) {
            const bad = k.slice();
            put(bad, d, s, 0, 0, j, NaN, channel);
            const got = attend(ch, { q, k: bad, v, options });
            assert.deepEqual(
              nans(got.output, dv),
              [1, 1, 1, 1, 1, 0, 0, 0, 0, 0],
              `NaN in key ${j} of ${n}`,
            );
            assert.ok(
              got.output.subarray(0, 5 * dv).every(Number.isNaN),
              `NaN in key ${j}: all channels`,
            );
            sameBits(
              partOf(got, s, { h: [1, 2] }),
              partOf(want, s, { h: [1, 2] }),
              'the other head',
            );
          }
          for (const channel of new Set([0, dv >> 1, dv - 1])) {
            const bad = v.slice();
            put(bad, dv, s, 0, 1, j, NaN, channel);
            const got = attend(ch, { q, k, v: bad, options });
            got.output.forEach((x, at) =>
              at >= 5 * dv && at % dv === channel
                ? assert.ok(Number.isNaN(x), `NaN in value ${j}, channel ${channel}`)
                : sameArray(
                    got.output.subarray(at, at + 1),
                    want.output.subarray(at, at + 1),
                    `channel ${at % dv} beside NaN in ${channel}`,
                  ),
            );
            sameBits(
              { ...got, output: want.output },
              want,
              'a value changes nothing but the output',
            );
          }
        }
      }
  });

  claim('NaN in a bias, a key scale, a slope or a sink reaches its rows and no others', () => {
    for (const Type of [Float32Array, Float64Array]) {
      const s = { batch: 1, heads: 2, kvHeads: 1, m: 3, n: 70, d: 8, dv: 5 };
      const { q, k, v } = fill('normal', random(9), s, 1, Type);
      const options = { heads: 2, kvHeads: 1, headDim: 8, valueDim: 5 };
      const rows = (more) => {
        const { output } = attend(ch, { q, k, v, options: { ...options, ...more } });
        return Array.from({ length: 6 }, (_, x) =>
          Number(output.subarray(x * 5, x * 5 + 5).every(Number.isNaN)),
        );
      };
      const bias = new Type(3 * 70);
      bias[70 + 69] = NaN;
      assert.deepEqual(rows({ mask: { data: bias, shape: [3, 70] } }), [0, 1, 0, 0, 1, 0]);
      assert.deepEqual(
        rows({ mask: { data: bias, shape: [3, 70] }, keyLengths: Int32Array.of(69) }),
        [0, 0, 0, 0, 0, 0],
        'a masked NaN',
      );
      assert.deepEqual(rows({ alibi: Type.of(0.5, NaN) }), [0, 0, 0, 1, 1, 1]);
      assert.deepEqual(rows({ sinks: Type.of(NaN, 0) }), [1, 1, 1, 0, 0, 0]);
      assert.deepEqual(
        rows({ keyScale: Type.from({ length: 70 }, (_, j) => (j === 2 ? NaN : 1)), causal: true }),
        [0, 0, 1, 0, 0, 1],
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
              ...['entropy', 'kl', 'expectedScore', 'maxWeight', 'argmax'].map(
                (name) => got.stats[name][row],
              ),
            ],
            [-Infinity, 0, 0, 0, 0, 0],
            c.name,
          );
        });
      }
    assert.ok(empty > 100);
  });
}
