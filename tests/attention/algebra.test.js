/**
 * Properties of attention that hold for any input, each with the tolerance of the error rule.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sameArray } from '../support/bits.js';
import { randomCalls } from '../support/cases.js';
import { all, within } from '../support/checked.js';
import { engines } from '../support/engines.js';
import { compare, precisions } from '../support/limits.js';
import { part, permuted } from '../support/parts.js';
import { random } from '../support/random.js';
import { reference } from '../support/reference.js';

const attend = (ch, { q, k, v, options }, want = all) =>
  ch.attention(q, k, v, { ...options, want });

/** The sum of an array by halves: float64 sums must not blur what is claimed of float64 results. */
const total = (a) =>
  a.length < 3
    ? (a[0] ?? 0) + (a[1] ?? 0)
    : total(a.subarray(0, a.length >> 1)) + total(a.subarray(a.length >> 1));

for (const { variant, ch } of engines) {
  const claim = (name, body) => test(`${name} (${variant})`, body);

  claim('permuted keys and values give the same output and permuted weights', () => {
    for (const { c, s, call, precision, spike } of randomCalls(300, 200000)) {
      const { causal, window, offset, alibi, mask, keyLengths, keyScale, ...options } =
        call.options;
      const r = random(c.seed);
      const order = [...Array(s.n).keys()].sort(() => r.uniform() - 0.5);
      const { output, weights, lse } = attend(ch, {
        ...call,
        k: permuted(call.k, order, s.d),
        v: permuted(call.v, order, s.dv),
        options,
      });
      const back = weights.slice();
      for (let row = 0; row < s.batch * s.heads * s.m; row++)
        order.forEach((from, to) => (back[row * s.n + from] = weights[row * s.n + to]));
      within({ output, weights: back, lse }, { ...call, options }, precision, spike, c.name);
    }
  });

  claim('a constant added to all logits changes nothing', () => {
    for (const { c, s, call, precision } of randomCalls(200, 201000)) {
      if (call.options.softcap || call.options.sinks || s.n === 0) continue; // these see the shift
      const r = random(c.seed);
      const shift = r.pick([3, -20, 64]);
      const Type = call.q.constructor;
      const { keyScale, ...options } = call.options;
      const scale = options.scale ?? 1 / Math.sqrt(s.d);
      // one more channel: 1 in every query, shift/scale in every key
      const widen = (a, x) =>
        Type.from({ length: (a.length / s.d) * (s.d + 1) }, (_, at) =>
          at % (s.d + 1) < s.d ? a[Math.floor(at / (s.d + 1)) * s.d + (at % (s.d + 1))] : x,
        );
      const moved = {
        q: widen(call.q, 1),
        k: widen(call.k, shift / scale),
        v: call.v,
        options: { ...options, headDim: s.d + 1, scale },
      };
      const { output, weights } = attend(ch, moved);
      const ref = reference(
        call.q,
        call.k,
        call.v,
        { ...options, scale },
        precisions[precision].tiny,
      );
      // the condition is that of the shifted logits
      const shifted = reference(moved.q, moved.k, moved.v, moved.options);
      for (const { what, ratio } of compare(
        { output, weights },
        { ...ref, A: shifted.A },
        precision,
        true,
      ))
        assert.ok(ratio <= 1, `${c.name} + ${shift}: ${what} at ${ratio} of the limit`);
    }
  });

  claim('every output lies between the smallest and the largest value it attends to', () => {
    for (const { c, s, call, precision } of randomCalls(300, 202000)) {
      const ref = reference(call.q, call.k, call.v, call.options);
      const { output } = attend(ch, call);
      const { epsilon, floor } = precisions[precision];
      const group = s.heads / s.kvHeads;
      output.forEach((x, at) => {
        const channel = at % s.dv;
        const row = Math.floor(at / s.dv);
        const h = Math.floor(row / s.m) % s.heads;
        const b = Math.floor(row / s.m / s.heads);
        // 0 stands for the sink's share and for the row without keys
        let low = call.options.sinks || ref.stats.n[row] === 0 ? 0 : Infinity;
        let high = -low;
        for (let j = 0; j < s.n; j++) {
          if (ref.masked[row * s.n + j] === -Infinity) continue;
          const value =
            call.v[((b * s.kvHeads + Math.floor(h / group)) * s.n + j) * s.dv + channel];
          low = Math.min(low, value);
          high = Math.max(high, value);
        }
        const slack = 4 * epsilon * ref.W[at] + floor;
        assert.ok(
          x >= low - slack && x <= high + slack,
          `${c.name}: ${x} is not within [${low}, ${high}]`,
        );
      });
    }
  });

  claim('weights are not negative and sum to 1, or less beside a sink', () => {
    for (const { c, s, call, precision } of randomCalls(300, 203000)) {
      const { weights, stats } = attend(ch, call);
      const ref = reference(call.q, call.k, call.v, call.options);
      const { epsilon } = precisions[precision];
      for (let row = 0; row < s.batch * s.heads * s.m; row++) {
        const own = weights.subarray(row * s.n, (row + 1) * s.n);
        const sum = total(own);
        const want = total(ref.weights.subarray(row * s.n, (row + 1) * s.n));
        assert.ok(
          own.every((w) => w >= 0 && w <= 1),
          `${c.name}: a weight outside [0, 1]`,
        );
        if (!call.options.sinks)
          assert.ok(
            Math.abs(sum - (stats.n[row] ? 1 : 0)) <= 6 * epsilon,
            `${c.name}: row ${row} sums to 1 + ${(sum - 1) / epsilon} ε`,
          );
        else
          assert.ok(
            sum <= 1 + 6 * epsilon &&
              Math.abs(sum - want) <= epsilon * want * (6 + 16 * ref.A[row]) + 1e-37,
            `${c.name}: row ${row} sums to ${sum}, not ${want}`,
          );
      }
    }
  });

  claim('a key that comes twice weighs as one whose logit is log 2 higher', () => {
    for (const { c, s, call, precision } of randomCalls(200, 204000)) {
      const {
        mask,
        causal,
        window,
        alibi,
        keyLengths,
        offset,
        keyScale,
        temperature: T,
        ...options
      } = call.options;
      if (T === 0 || T === Infinity || s.n === 0) continue;
      const r = random(c.seed);
      const twice = r.integer(0, s.n - 1);
      const Type = call.q.constructor;
      const double = (a, size) =>
        Type.from({ length: s.batch * s.kvHeads * (s.n + 1) * size }, (_, at) => {
          const j = Math.floor(at / size) % (s.n + 1);
          const x = Math.floor(at / size / (s.n + 1));
          return a[(x * s.n + (j === s.n ? twice : j)) * size + (at % size)];
        });
      const { output, lse } = attend(ch, {
        q: call.q,
        k: double(call.k, s.d),
        v: double(call.v, s.dv),
        options: { ...options, temperature: T },
      });
      const bias = Float64Array.from({ length: s.n }, (_, j) => (j === twice ? T * Math.LN2 : 0));
      within(
        { output, lse },
        { ...call, options: { ...options, temperature: T, mask: { data: bias, shape: [s.n] } } },
        precision,
        c.family === 'spike',
        c.name,
      );
    }
  });

  claim('halves of the keys, merged by their lse, are the whole', () => {
    for (const { c, s, call, precision } of randomCalls(200, 205000)) {
      const { sinks, mask, causal, window, alibi, keyLengths, offset, keyScale, ...options } =
        call.options;
      if (options.temperature === 0 || options.temperature === Infinity || s.n < 2) continue;
      const whole = { ...call, options };
      const cut = random(c.seed).integer(1, s.n - 1);
      const left = part(whole, s, { n: cut });
      const rest = (a, size) => {
        const parts = [];
        for (let x = 0; x < s.batch * s.kvHeads; x++)
          parts.push(...a.subarray((x * s.n + cut) * size, (x + 1) * s.n * size));
        return a.constructor.from(parts);
      };
      const a = attend(ch, left);
      const b = attend(ch, { ...whole, k: rest(call.k, s.d), v: rest(call.v, s.dv) });
      const merged = a.output.map((x, at) => {
        const row = Math.floor(at / s.dv);
        const top = Math.max(a.lse[row], b.lse[row]);
        const wa = Math.exp(a.lse[row] - top);
        const wb = Math.exp(b.lse[row] - top);
        return (x * wa + b.output[at] * wb) / (wa + wb);
      });
      // lse itself is only as good as the scores' common part: the wider rule
      within({ output: merged }, whole, precision, true, `${c.name} at ${cut}`);
    }
  });

  claim('with one key the output is its value, bit for bit, at every temperature', () => {
    for (const { c, s, call } of randomCalls(200, 206000)) {
      const { sinks, mask, causal, window, keyLengths, keyScale, alibi, ...options } = call.options;
      const one = part({ ...call, options }, s, { n: Math.min(1, s.n) });
      if (s.n === 0) continue;
      for (const temperature of [0, 1e-30, 0.3, 1, 1e30, Infinity]) {
        const { output, weights, stats } = attend(ch, {
          ...one,
          options: { ...one.options, temperature },
        });
        const group = s.heads / s.kvHeads;
        const want = output.map((_, at) => {
          const row = Math.floor(at / s.dv / s.m);
          const b = Math.floor(row / s.heads);
          return one.v[(b * s.kvHeads + Math.floor((row % s.heads) / group)) * s.dv + (at % s.dv)];
        });
        sameArray(output, want, `${c.name}, T = ${temperature}`);
        assert.ok(
          weights.every((w) => w === 1) &&
            stats.maxWeight.every((w) => w === 1) &&
            stats.entropy.every((x) => x === 0) &&
            stats.kl.every((x) => x === 0),
        );
      }
    }
  });
}
