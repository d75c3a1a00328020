/**
 * The reference texts of a real model, stories260K: at every token the ledger sums up to the logit.
 * Third-party data beside this repository; without it: skipped.
 */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { loadModel } from '../../../src/js/model/index.js';
import { sameArray } from '../../support/bits.js';
import { engines } from '../../support/models/engines.js';

const models = new URL('../../../../shared/models/', import.meta.url);
const at = (path) => new URL(path, models);
const skip = existsSync(at('stories260K/NOTE.md')) ? false : 'skipped, not present';
const sum = (list) => list.reduce((a, b) => a + b, 0);

for (const { variant, ch: engine } of engines)
  describe(`stories260K, ${variant} kernels`, { skip }, () => {
    for (const name of ['empty', 'once', 'lily'])
      test(`${name}: ledgers of all tokens within 1e-5 of their logits`, async (t) => {
        const model = await loadModel(at('stories260K/gguf/stories260K-f32.gguf'), { engine });
        const text = readFileSync(at(`stories260K/reference/${name}.txt`), 'utf8');
        const ids = model.tokenizer.encode(text);
        const { vocab, layers } = model.config;
        let worst = 0;
        for (const [position, id] of ids.slice(0, -1).entries()) {
          const { logits } = model.step(id);
          const next = ids[position + 1];
          const ledger = await model.ledger(position, next);
          const { embedding, heads, feedForward, biases, identity } = ledger;
          const right = embedding + sum(heads) + sum(feedForward) + sum(biases);
          assert.equal(identity.left, logits[next]);
          assert.ok(identity.holds, JSON.stringify(identity));
          const relative = Math.abs(right - logits[next]) / Math.abs(logits[next]);
          assert.ok(relative <= 1e-5, `${right}, not ${logits[next]}, at ${position}`);
          worst = Math.max(worst, relative);
          const lens = await model.lens(position);
          sameArray(lens.logits.slice((layers - 1) * vocab), logits, `lens at ${position}`);
        }
        t.diagnostic(`${ids.length - 1} tokens, at most ${worst.toExponential(1)} of the logit`);
        model.dispose();
      });
  });
