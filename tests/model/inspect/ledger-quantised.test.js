/** With quantised weights a ledger is as exact as with floats, since rounded inputs are a part. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { loadModel } from '../../../src/js/model/index.js';
import { half, isFloat, randomRows, toHalf, TYPES } from '../../support/models/blocks.js';
import { LOGITS, largest, tokensOf } from '../../support/models/differences.js';
import { engines } from '../../support/models/engines.js';
import { asGguf, asSafetensors, configs, tiny } from '../../support/models/random-models.js';
import { random } from '../../support/random.js';

const sum = (list) => list.reduce((a, b) => a + b, 0);
const quantised = Object.keys(TYPES).filter((name) => !isFloat(name));
const sourceOf = (heads) =>
  tiny({
    ...configs['llama, untied, heads of its own'],
    ...{ hidden_size: 256, intermediate_size: 256, vocab_size: 64 },
    ...{ num_attention_heads: heads, num_key_value_heads: heads },
  });

/** Matrices of random numbers of a type; norms and biases stay. */
const asType = (type) => {
  const r = random(17);
  const scale = () => toHalf((0.2 * r.normal()) / (TYPES[type].block === 256 ? 256 : 16));
  return (tensor) =>
    tensor.shape.length === 1
      ? tensor
      : { ...tensor, type, data: randomRows(type, r, ...tensor.shape, scale) };
};

for (const { variant, ch: engine } of engines)
  describe(`${variant} kernels`, () => {
    // 16 heads share blocks of 32 columns
    for (const heads of [8, 16])
      for (const type of heads === 8 ? ['Q8_0', 'Q4_K'] : quantised)
        test(`${type}, ${heads} heads: the parts sum up to the logit within float32`, async () => {
          const model = await loadModel(asGguf(sourceOf(heads), {}, asType(type)), { engine });
          model.prefill(tokensOf(12, 16, 64));
          for (const [position, token] of [
            [15, 1],
            [9, 33],
            [15, [2, 40]],
          ]) {
            const ledger = await model.ledger(position, token);
            const { identity, embedding, feedForward, rounding } = ledger;
            const size = largest([embedding, ...ledger.heads, ...feedForward, identity.left]);
            const all = embedding + sum(ledger.heads) + sum(feedForward) + rounding;
            assert.ok(identity.holds, JSON.stringify(identity));
            assert.ok(Math.abs(all - identity.left) <= LOGITS * size, `${all}: ${identity.left}`);
            // the sizes of m·t are known less well
            const part = TYPES[type].halves.length === 2 ? 6e-3 : 2e-3;
            assert.ok(identity.allowed < part * size, `${identity.allowed} of ${size}`);
            // without it the sum would be wrong
            assert.ok(Math.abs(rounding) > identity.allowed / 10 && rounding !== 0);
            assert.ok(Math.abs(rounding) < 0.05 * size, `${rounding} of ${size}`);
          }
          model.dispose();
        });

    test('the rounding of the last input is the change of a logit by 8 bits', async () => {
      const source = sourceOf(16);
      const tokens = tokensOf(12, 16, 64);
      const model = await loadModel(asSafetensors(source), { engine, quantize: 'q8' });
      model.prefill(tokens);
      const { resid_post: last } = await model.trace(tokens, {
        record: ['resid_post'],
        layers: [model.config.layers - 1],
        positions: 'last',
      });
      const norm = source.tensors['model.norm.weight'].data;
      const scale = Math.sqrt(sum(last.map((x) => x * x)) / 256 + source.config.rms_norm_eps);
      const row = ofEightBits(source.tensors['lm_head.weight'].data.subarray(7 * 256, 8 * 256));
      const inputs = Float64Array.from(last, (x, c) => (x / scale) * norm[c]);
      const want = sum(inputs.map((x, c) => x * -row[c])) + sum(stepped(inputs, row));
      const { rounding } = await model.ledger(15, 7);
      assert.ok(Math.abs(rounding - want) <= 1e-5, `${rounding}, not ${want}`);
      assert.ok(Math.abs(rounding) > 1e-4);
      model.dispose();
    });

    test('with float weights the rounding of the last input is that of float32', async () => {
      const model = await loadModel(asSafetensors(sourceOf(8)), { engine });
      model.prefill(tokensOf(12, 16, 64));
      const { rounding, embedding, heads } = await model.ledger(15, 7);
      assert.ok(Math.abs(rounding) <= 1e-6 * largest([embedding, ...heads]) && rounding !== 0);
      model.dispose();
    });
  });

/** Blocks of 32 in steps of max/127, `scale` rounds a step. */
const inSteps = (numbers, scale) =>
  Float64Array.from(numbers, (x, c) => {
    const block = numbers.slice(c - (c % 32), c - (c % 32) + 32);
    const step = scale(Math.max(...Array.from(block, Math.abs)) / 127);
    return step * Math.round(x / step);
  });

/** A row of Q8_0 that was made of floats. */
function ofEightBits(row) {
  return inSteps(row, (step) => half(toHalf(step)));
}

/** The terms of a row and inputs of 8 bits. */
function stepped(inputs, row) {
  return inSteps(inputs, Math.fround).map((x, c) => x * row[c]);
}
