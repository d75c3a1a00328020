/** Random prompts of one kind, through a model: a fingerprint seldom finds a head. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { init } from '../../../src/js/index.js';
import { loadModel } from '../../../src/js/model/index.js';
import { asGguf, configs, tiny } from '../../support/models/random-models.js';
import { random } from '../../support/random.js';

const engine = await init({ variant: 'simd', layers: true });
const model = await loadModel(asGguf(tiny(configs['llama, tied, grouped'])), { engine });

/** A set of 12 prompts with 12 tokens each. @param {ReturnType<typeof random>} r */
const setOf = (r) =>
  Array.from({ length: 12 }, () => Array.from({ length: 12 }, () => r.integer(3, 63)));

for (const correction of ['holm', 'benjamini-hochberg'])
  test(`of 100 seeds at most 12 have a finding at the level 0.05, with ${correction}`, async () => {
    let wrong = 0;
    for (let seed = 1; seed <= 100; seed++) {
      const r = random(seed);
      const options = { correction, level: 0.05, ablate: 0 };
      const { found } = await model.heads.fingerprint(setOf(r), setOf(r), options);
      if (found.length) wrong++;
    }
    // of 100 draws with probability 0.05, more than 12 have a probability of 0.001
    assert.ok(wrong <= 12, `${wrong} of 100`);
  });
