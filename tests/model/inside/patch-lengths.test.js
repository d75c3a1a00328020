/** A patch faces a prompt token by token, so their lengths agree or positions are given. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { loadModel } from '../../../src/js/model/index.js';
import { sameArray } from '../../support/bits.js';
import { tokensOf } from '../../support/models/differences.js';
import { engines } from '../../support/models/engines.js';
import { asSafetensors, configs, tiny } from '../../support/models/random-models.js';

const source = tiny(configs['llama, tied, grouped']);
const SHORT = tokensOf(51, 8, 64);
const LONG = tokensOf(52, 11, 64);
const RECORD = { record: ['resid_pre', 'pattern'], layers: [1] };

/** All tokens of a text. */
async function written(model, prompt, maxTokens = 4) {
  const ids = [];
  for await (const { token } of model.generate(prompt, { maxTokens })) ids.push(token);
  return ids;
}

for (const { variant, ch: engine } of engines)
  describe(`${variant} kernels`, () => {
    const load = () => loadModel(asSafetensors(source), { engine });

    for (const patch of ['resid_pre', 'pattern'])
      for (const [prompt, other] of [
        [SHORT, LONG],
        [LONG, SHORT],
      ])
        test(`${patch} of ${other.length} tokens is refused by ${prompt.length}`, async () => {
          const model = await load();
          const from = await model.trace(other, RECORD);
          model.cache.clear();
          const plain = model.prefill(prompt.slice(0, 3)).logits;
          model.intervene([
            { layer: 0, gain: 1 },
            { layer: 1, patch, from },
          ]);
          const refused = {
            code: 'SHAPE',
            message:
              `interventions[1].from is of ${other.length} tokens; expected ${prompt.length}, ` +
              'as the prompt has, or positions to patch',
          };
          await assert.rejects(written(model, prompt), refused);
          await assert.rejects(model.trace(prompt, { record: ['z'] }), refused);
          await assert.rejects(model.sweep(prompt), refused);
          assert.equal(model.cache.length, 3);
          model.intervene([{ layer: 1, patch, from, positions: [2, 5] }]);
          await written(model, prompt);
          await model.trace(prompt, { record: ['z'] });
          await model.sweep(prompt);
          model.intervene([]);
          model.cache.clear();
          sameArray(model.prefill(prompt.slice(0, 3)).logits, plain, 'the model itself');
          model.dispose();
        });

    test('a text goes on from a prompt of that length, and none begins so', async () => {
      const model = await load();
      const from = await model.trace(tokensOf(53, 8, 64), RECORD);
      const list = [{ layer: 1, patch: 'resid_pre', from }];
      model.intervene(list);
      const text = [...SHORT, ...(await written(model, SHORT))];
      const next = await written(model, [...text, 7]);
      assert.equal(next.length, 4);
      await model.trace([...text, 7], { record: ['z'] });
      const anew = await load();
      anew.intervene(list);
      await assert.rejects(written(anew, [...text, 7]), { code: 'SHAPE' });
      // the same positions, named
      anew.intervene([{ ...list[0], positions: from.positions }]);
      assert.deepEqual(await written(anew, [...text, 7]), next);
      for (const each of [model, anew]) each.dispose();
    });

    test('parts of a text are patched by their number', async () => {
      const model = await load();
      const from = await model.trace(LONG, RECORD);
      model.intervene([{ layer: 1, patch: 'resid_pre', from }]);
      model.cache.clear();
      const { logits } = model.prefill(SHORT);
      model.cache.clear();
      model.prefill(SHORT.slice(0, 5));
      let stepped;
      for (const token of SHORT.slice(5)) stepped = model.step(token).logits;
      sameArray(stepped, logits, 'steps');
      const { positions, tokens: _, ...others } = from;
      model.intervene([
        { layer: 1, patch: 'resid_pre', from: { ...others, positions }, positions: [...positions] },
      ]);
      model.cache.clear();
      sameArray(model.prefill(SHORT).logits, logits, 'positions in words');
      model.dispose();
    });
  });
