/** Changes that leave every bit of a result as it was, on random mixtures of all options. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sameArray, sameBits } from '../support/bits.js';
import { build, randomCalls } from '../support/cases.js';
import { engines } from '../support/engines.js';
import { block, part, partOf, permuted } from '../support/parts.js';
import { random, swapLayout } from '../support/random.js';
import { all, attend } from '../support/attention/attend.js';

for (const { variant, ch } of engines) {
  const claim = (name, body) => test(`${name} (${variant})`, body);

  claim('asking for weights, scores, lse or statistics does not change a bit of the output', () => {
    for (const { c, call } of randomCalls(600, 1000)) {
      const { output } = attend(ch, call, {});
      for (const want of [
        all,
        { scores: 'raw' },
        { scores: 'capped' },
        { scores: 'masked' },
        { weights: true },
        { stats: true },
        { lse: true },
      ]) {
        const result = attend(ch, call, want);
        sameArray(result.output, output, c.name);
        assert.deepEqual(Object.keys(result).sort(), ['output', ...Object.keys(want)].sort());
      }
    }
  });

  claim('weights of chosen heads and rows are those of all', () => {
    for (const { c, s, call } of randomCalls(300, 4000)) {
      const r = random(c.seed);
      const everything = attend(ch, call);
      const choose = (size) =>
        [...Array(size).keys()].sort(() => r.uniform() - 0.5).slice(0, r.integer(1, size));
      const heads = choose(s.heads);
      const rows = choose(s.m);
      const want = r.pick([
        { weights: { heads, rows } },
        { weights: { heads } },
        { weights: { rows } },
      ]);
      const { weights } = attend(ch, call, want);
      const list = [];
      for (let b = 0; b < s.batch; b++)
        for (const h of want.weights.heads ?? Array(s.heads).keys())
          for (const i of want.weights.rows ?? Array(s.m).keys())
            list.push(
              ...block(
                everything.weights,
                [s.batch, s.heads, s.m, s.n],
                [b, b + 1],
                [h, h + 1],
                [i, i + 1],
              ),
            );
      sameArray(weights, weights.constructor.from(list), c.name);
    }
  });

  claim('a tensor gives the bits of a typed array, as input and as output', () => {
    for (const { c, s, call } of randomCalls(300, 6000)) {
      const dtype = call.q instanceof Float64Array ? 'float64' : 'float32';
      const want = attend(ch, call);
      const made = [];
      const tensor = (a, shape) => {
        const t = ch.tensor(shape, dtype);
        t.data.set(a);
        made.push(t);
        return t;
      };
      const q = tensor(call.q, [s.batch, s.heads, s.m, s.d]);
      const k = tensor(call.k, [s.batch, s.kvHeads, s.n, s.d]);
      const v = tensor(call.v, [s.batch, s.kvHeads, s.n, s.dv]);
      const out = tensor(new call.q.constructor(want.output.length).fill(NaN), [
        s.batch,
        s.heads,
        s.m,
        s.dv,
      ]);
      const result = ch.attention(q, k, v, { ...call.options, out, want: all });
      sameBits({ ...result, output: out.data }, want, c.name);
      sameBits(
        ch.attention(q, call.k, v, { ...call.options, want: all }),
        want,
        `${c.name}, mixed`,
      );
      for (const [t, a] of [
        [q, call.q],
        [k, call.k],
        [v, call.v],
      ])
        sameArray(t.data, a, `${c.name}: an input tensor`);
      for (const t of made) t.dispose();
    }
  });

  claim('an output array is the one that was given', () => {
    for (const { c, call } of randomCalls(60, 7000)) {
      const want = attend(ch, call, {});
      const out = new want.output.constructor(want.output.length).fill(NaN);
      const result = ch.attention(call.q, call.k, call.v, { ...call.options, out });
      assert.equal(result.output, out);
      sameArray(out, want.output, c.name);
    }
  });

  claim('both layouts give the same bits', () => {
    for (const { c, s, call } of randomCalls(600, 8000)) {
      const want = attend(ch, call, { ...all, scores: 'masked' });
      const turned = build(c, call.q.constructor, 'bshd');
      sameArray(
        turned.q,
        swapLayout(call.q, s.batch, s.heads, s.m, s.d),
        'the table turns queries',
      );
      const result = attend(ch, turned, { ...all, scores: 'masked' });
      sameBits(
        { ...result, output: swapLayout(result.output, s.batch, s.m, s.heads, s.dv) },
        want,
        c.name,
      );
    }
  });

  claim('permuted queries give permuted rows', () => {
    for (const { c, s, call } of randomCalls(450, 27000)) {
      const { causal, window, offset, alibi, mask, ...options } = call.options;
      const r = random(c.seed);
      const order = [...Array(s.m).keys()].sort(() => r.uniform() - 0.5);
      const rows = (a, size) => permuted(a, order, size);
      const want = attend(ch, { ...call, options });
      const got = attend(ch, { ...call, q: rows(call.q, s.d), options });
      sameBits(
        got,
        {
          output: rows(want.output, s.dv),
          weights: rows(want.weights, s.n),
          lse: rows(want.lse, 1),
          stats: Object.fromEntries(
            Object.entries(want.stats).map(([name, a]) => [name, rows(a, 1)]),
          ),
        },
        c.name,
      );
    }
  });

  claim('values times a power of two give the output times that power', () => {
    for (const { c, call } of randomCalls(300, 29000)) {
      if (c.family === 'denormal') continue; // rounding among subnormals does not scale
      for (const power of [2, 2 ** 10]) {
        const want = attend(ch, call, {}).output.map((x) => x * power);
        sameArray(
          attend(ch, { ...call, v: call.v.map((x) => x * power) }, {}).output,
          want,
          `${c.name} × ${power}`,
        );
      }
    }
  });

  claim('a later key or query does not change an earlier causal row', () => {
    for (const { c, s, call } of randomCalls(450, 31000)) {
      const options = {
        ...call.options,
        causal: true,
        offset: 0,
        mask: undefined,
        keyLengths: undefined,
      };
      const i = random(c.seed).integer(1, s.m);
      const n = Math.min(i, s.n);
      const whole = { ...call, options };
      const want = attend(ch, whole);
      const found = part(whole, s, { i: [0, i], n });
      delete found.options.mask;
      sameBits(attend(ch, found), partOf(want, s, { i: [0, i], n }), `${c.name}, rows before ${i}`);
    }
  });

  claim('the same call twice gives the same bits', () => {
    const list = [...randomCalls(180, 33000)];
    const first = list.map(({ call }) => attend(ch, call));
    for (const [x, { c, call }] of list.reverse().entries())
      sameBits(attend(ch, call), first[list.length - 1 - x], c.name);
  });
}
