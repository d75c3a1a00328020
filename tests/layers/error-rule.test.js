/** Both attention layers keep the error rule, in extreme states and with YaRN. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { repeats } from '../support/campaign.js';
import { engines } from '../support/models/engines.js';
import { random } from '../support/random.js';
import { frequencies } from '../support/layers/operations-textbook.js';
import { latentSized, multiHeadSized } from '../support/layers/sized.js';
import { EPS, matrix, numbers, vector } from '../support/layers/random-layers.js';
import { extremeLatent, extremeMultiHead } from '../support/layers/extreme-layers.js';

/**
 * Units in the last place of the sizes that textbook.js adds up. A number is rounded about ten
 * times on its way, by half a unit of its size or less, some up and some down; the logits' sizes
 * count two of theirs, a query's and a key's. Measured: up to 0.55 of the rule.
 */
const PLAIN = 3;
const STEEP = 1.5;

const COUNT = repeats(400, 1e4);

const KINDS = [
  ['multiHead', extremeMultiHead, multiHeadSized, [undefined]],
  ['latent', extremeLatent, latentSized, ['expanded', 'absorbed']],
];

/** The output of float64 for a state, its sizes, and the error that each number may have. */
function expectedOf({ w, config, turned, temperature, x }, rule) {
  const want = rule(x, w, {
    ...config,
    temperature,
    epsilon: 1e-6,
    f: turned && frequencies(turned.dim, 10000),
    interleaved: turned.interleaved,
  });
  const allowed = want.plain.map(
    (plain, at) => EPS * (PLAIN * plain + STEEP * want.steep[at]) + 2 ** -120,
  );
  return { ...want, allowed };
}

/** The result of each variant and form of a layer for a state, with its name. */
function* results(kind, forms, { w, config, turned, temperature, m, x }) {
  for (const { variant, ch } of engines) {
    const rope = turned ? ch.ropeTable({ ...turned, positions: m }) : undefined;
    const layer = ch[kind](w, { ...config, rope });
    for (const form of forms) {
      const options = { causal: true, temperature, want: { weights: true }, ...(form && { form }) };
      yield { ...layer.forward(x, options), name: `${variant} ${form ?? ''}` };
    }
    layer.dispose();
  }
}

for (const [kind, make, rule, forms] of KINDS) {
  test(`${kind}: ${COUNT} random states, extremes among them, keep the error rule`, (t) => {
    let [max, logit, decided, total] = [0, 0, 0, 0];
    for (let seed = 5000; seed < 5000 + COUNT; seed++) {
      const state = make(seed);
      const want = expectedOf(state, rule);
      logit = Math.max(logit, want.logit);
      want.plain.forEach((plain, at) => (decided += Number(want.allowed[at] < 0.01 * plain)));
      total += want.y.length;
      for (const { output, name } of results(kind, forms, state)) {
        assert.equal(output.length, want.y.length);
        output.forEach((y, at) => {
          const ratio = Math.abs(y - want.y[at]) / want.allowed[at];
          // the words are made for a failure alone: there are very many numbers
          if (!(ratio <= 1))
            assert.fail(
              `seed ${seed}, ${name}: [${at}] is ${y}; should be ${want.y[at]}, ` +
                `${ratio} of the rule`,
            );
          max = Math.max(max, ratio);
        });
      }
    }
    assert.ok(logit > 1e4, `logits up to ${logit}`);
    assert.ok(decided > 0.75 * total, `the rule decides ${decided} of ${total}`);
    t.diagnostic(
      `worst ${max.toFixed(3)} of the rule, which allows less than a hundredth of the ` +
        `numbers' size in ${decided} of ${total}; logits up to ${logit.toExponential(1)}`,
    );
  });

  test(`${kind}: equal rows without places have equal weights, however large the logits`, () => {
    let count = 0;
    for (let seed = 5000; seed < 5000 + COUNT; seed++) {
      const state = make(seed);
      const { m, x, turned, config } = state;
      if (m === 1 || turned || x.some((v, at) => v !== x[at % config.modelDim])) continue;
      for (const { weights, name } of results(kind, forms, state)) {
        count++;
        weights.forEach((p, at) => {
          const i = Math.floor(at / m) % m;
          const seen = at % m <= i ? 1 / (i + 1) : 0;
          if (!(Math.abs(p - seen) <= EPS * seen))
            assert.fail(`seed ${seed}, ${name}: weight ${at} is ${p}; should be ${seen}`);
        });
      }
    }
    assert.ok(count > COUNT / 20, `${count} of equal rows`);
  });
}

test("DeepSeek-V2's YaRN: factors that cancel in the table, and one squared in the scale", () => {
  const scaling = { type: 'yarn', factor: 40, original: 4096, mscale: 0.707, mscaleAllDim: 0.707 };
  const y = 0.1 * 0.707 * Math.log(40) + 1;
  const r = random(14);
  const config = {
    modelDim: 16,
    heads: 3,
    kvLatent: 12,
    queryLatent: 0,
    nopeDim: 6,
    ropeDim: 8,
    valueDim: 5,
  };
  const x = numbers(r, 9 * 16);
  const w = {
    q: matrix(r, 3 * 14, 16),
    kvA: matrix(r, 20, 16),
    kvANorm: vector(r, 12),
    kvB: matrix(r, 3 * 11, 12),
    o: matrix(r, 16, 15),
  };
  const of = (temperature) =>
    latentSized(x, w, {
      ...config,
      temperature,
      epsilon: 1e-6,
      f: frequencies(8, 10000, scaling),
      interleaved: true,
    });
  const want = of(1 / (y * y));
  const without = of(1);
  for (const { variant, ch } of engines) {
    const layer = ch.latent(w, {
      ...config,
      rope: ch.ropeTable({ dim: 8, positions: 9, interleaved: true, scaling }),
    });
    for (const form of ['expanded', 'absorbed']) {
      const { output } = layer.forward(x, { causal: true, form, scale: (y * y) / Math.sqrt(14) });
      output.forEach((v, at) =>
        assert.ok(
          Math.abs(v - want.y[at]) <= EPS * (PLAIN * want.plain[at] + STEEP * want.steep[at]),
          `${variant}, ${form}, ${at}`,
        ),
      );
    }
    layer.dispose();
  }
  assert.ok(want.y.some((v, at) => Math.abs(v - without.y[at]) > 1e-2));
});
