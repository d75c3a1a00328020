/** A patch without positions is for texts of its own length, also where all heads are asked. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { loadModel } from '../../../src/js/model/index.js';
import { sameArray } from '../../support/bits.js';
import { tokensOf } from '../../support/models/differences.js';
import { engines } from '../../support/models/engines.js';
import { asSafetensors, configs, tiny } from '../../support/models/random-models.js';

const source = tiny(configs['llama, tied, grouped']);
const texts = (length) => [61, 62].map((seed) => tokensOf(seed, length, 64));
const twice = tokensOf(63, 4, 64);

const scored = (model, options) => model.heads.scores({ scores: ['previous'], ...options });

/** Each asks about texts of `length` tokens: 8, as the trace has, or another. */
const QUESTIONS = {
  rank: {
    ask: (model, length) =>
      model.rank(
        [3, 9],
        texts(length)[0].map((id) => [id]),
      ),
    other: 9,
    as: 'the text of all passages',
  },
  fingerprint: {
    ask: (model, length) => model.heads.fingerprint(texts(length), texts(length)),
    other: 9,
    as: 'the prompt',
  },
  'scores of texts': {
    ask: (model, length) => scored(model, { texts: texts(length), repeats: [] }),
    other: 9,
    as: 'a text that heads are scored on',
  },
  'scores of repeats': {
    ask: (model, length) => {
      const half = twice.slice(0, length / 2);
      return scored(model, { repeats: [[...half, ...half]] });
    },
    other: 6,
    as: 'a text that heads are scored on',
  },
};

for (const { variant, ch: engine } of engines)
  describe(`${variant} kernels`, () => {
    for (const [name, { ask, other, as }] of Object.entries(QUESTIONS))
      test(`${name}: a patch of another length is refused`, async () => {
        const model = await loadModel(asSafetensors(source), { engine });
        const from = await model.trace(tokensOf(64, 8, 64), { record: ['resid_pre'], layers: [1] });
        const patch = { layer: 1, patch: 'resid_pre', from };
        model.cache.clear();
        const own = model.prefill([1, 2, 3]).logits;
        model.intervene([patch]);
        await assert.rejects(ask(model, other), {
          code: 'SHAPE',
          message:
            `interventions[0].from is of 8 tokens; expected ${other}, as ${as} has, ` +
            'or positions to patch',
        });
        // the model is free again
        await ask(model, 8);
        model.intervene([{ ...patch, positions: [2, 5] }]);
        await ask(model, other);
        model.intervene([]);
        model.cache.clear();
        sameArray(model.prefill([1, 2, 3]).logits, own, 'the model itself');
        model.dispose();
      });

    test('a patch needs the tokens of its trace, or positions', async () => {
      const model = await loadModel(asSafetensors(source), { engine });
      const { tokens: _, ...from } = await model.trace(twice, { record: ['z'], layers: [1] });
      assert.throws(() => model.intervene([{ layer: 1, patch: 'z', from }]), {
        code: 'ARG',
        message:
          'interventions[0].from is without tokens; ' +
          'expected a trace with tokens, or positions to patch',
      });
      assert.throws(
        () => model.intervene([{ layer: 1, patch: 'z', from: { ...from, tokens: 'four' } }]),
        { code: 'ARG', message: /^interventions\[0\]\.from\.tokens is "four"; expected/ },
      );
      model.intervene([{ layer: 1, patch: 'z', from, positions: from.positions }]);
      model.prefill(twice);
      model.dispose();
    });
  });
