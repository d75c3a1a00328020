/**
 * Rotary settings of GGUF that multiply each other: against the float64 reference, and against
 * logits of llama.cpp, third-party data beside this repository (without them: skipped).
 */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { loadModel } from '../../../src/js/model/index.js';
import { sameArray } from '../../support/bits.js';
import { engines } from '../../support/models/engines.js';
import { forward } from '../../support/models/forward.js';
import { asGguf, configs, tiny } from '../../support/models/random-models.js';
import { refuses } from '../../support/streams.js';

const cases = new URL('../../../../shared/cases/metadata/', import.meta.url);
const skip = existsSync(cases) ? false : 'skipped, not present';
const f32 = (value) => ({ type: 'f32', value });
const ids = Array.from({ length: 12 }, (_, i) => (7 * i + 3) % 40);
/** Of the largest logit: llama.cpp computes in float32, with sums of another order. */
const LLAMA_CPP = 1e-5;
/** Of the largest logit, as in decoder.test.js. */
const LOGITS = 1e-5;

const largest = (list) => list.reduce((max, x) => Math.max(max, Math.abs(x)), 0);
const distance = (a, b) => a.reduce((max, x, at) => Math.max(max, Math.abs(x - b[at])), 0);
/** Logits of every position, joined. */
async function logitsOf(source, engine, tokens = ids) {
  const model = await loadModel(source, { engine });
  const all = Float32Array.from(tokens.flatMap((id) => [...model.step(id).logits]));
  model.dispose();
  return all;
}
function assertNear(got, want, tolerance) {
  const error = distance(got, want) / largest(want);
  assert.ok(error <= tolerance, `${error} of the largest logit`);
}

/** The same model with the rows of some tensors multiplied. */
function scaled(model, names, factor) {
  const tensors = Object.fromEntries(
    Object.entries(model.tensors).map(([name, { shape, data }]) => [
      name,
      { shape, data: names.test(name) ? data.map((x) => factor(x)) : data },
    ]),
  );
  return { ...model, tensors };
}

for (const { variant, ch: engine } of engines)
  describe(`${variant} kernels`, () => {
    for (const name of ['plain', 'attn-factor', 'freqs-and-linear'])
      test(`logits of llama.cpp: ${name}`, { skip }, async () => {
        const bytes = readFileSync(new URL(`${name}.llamacpp.f32`, cases));
        const want = new Float32Array(new Uint8Array(bytes).buffer);
        const got = await logitsOf(readFileSync(new URL(`${name}.gguf`, cases)), engine);
        assertNear(got, want, LLAMA_CPP);
      });

    test('attention that is not causal is refused by name', { skip }, () =>
      refuses(
        () => loadModel(readFileSync(new URL('causal-false.gguf', cases)), { engine }),
        'FORMAT',
        /llama.attention.causal is false; expected true/,
      ),
    );

    // Where cos and sin are multiplied by a, so are q and k.
    for (const [name, factor] of [
      ['llama, tied, grouped', 1.5],
      ['llama, linear rope', 0.75],
      ['llama 3 rope', 1.25],
    ])
      test(`attn_factor multiplies cos and sin: ${name}`, async () => {
        const model = tiny(configs[name]);
        const both = scaled(model, /self_attn\.[qk]_proj/, (x) => factor * x);
        const want = forward(both, ids).flatMap(({ logits }) => [...logits]);
        const plain = forward(model, ids).flatMap(({ logits }) => [...logits]);
        const file = asGguf(model, { 'llama.rope.scaling.attn_factor': f32(factor) });
        assertNear(await logitsOf(file, engine), want, LOGITS);
        assert.ok(distance(plain, want) > 100 * LOGITS * largest(want), 'it has an effect');
      });

    test('attn_factor multiplies cos and sin in layers with a window as well', async () => {
      const model = tiny(configs['gemma3, linear rope']);
      // gains are stored as w and used as 1 + w
      const both = scaled(model, /self_attn\.[qk]_norm/, (w) => 1.5 * (1 + w) - 1);
      const want = forward(both, ids).flatMap(({ logits }) => [...logits]);
      const file = asGguf(model, { 'gemma3.rope.scaling.attn_factor': f32(1.5) });
      assertNear(await logitsOf(file, engine), want, LOGITS);
    });

    test('a linear factor beside rope_freqs divides what they leave', async () => {
      const model = tiny(configs['llama 3 rope']);
      const twice = (tensor) =>
        tensor.name === 'rope_freqs.weight'
          ? { ...tensor, data: tensor.data.map((x) => 4 * x) }
          : tensor;
      const want = await logitsOf(asGguf(model, {}, twice), engine);
      for (const type of ['linear', undefined]) {
        const metadata = {
          'llama.rope.scaling.factor': f32(4),
          ...(type && { 'llama.rope.scaling.type': type }),
        };
        sameArray(await logitsOf(asGguf(model, metadata), engine), want);
      }
      sameArray(
        await logitsOf(
          asGguf(model, {
            'llama.rope.scaling.type': 'none',
            'llama.rope.scaling.factor': f32(4),
          }),
          engine,
        ),
        await logitsOf(asGguf(model), engine),
      );
    });

    test('YaRN beside rope_freqs is refused', () =>
      refuses(
        () =>
          loadModel(asGguf(tiny(configs['llama 3 rope']), { 'llama.rope.scaling.type': 'yarn' }), {
            engine,
          }),
        'FORMAT',
        /llama.rope.scaling.type is "yarn"; expected none or linear beside rope_freqs/,
      ));
  });
