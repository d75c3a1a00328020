/** The code that the page shows of a model. It runs in Node, and prints the numbers on show. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { before, describe, test } from 'node:test';
import { init } from '../../../src/js/index.js';
import { loadModel } from '../../../src/js/model/index.js';
import { createTrainer } from '../../../src/js/train/index.js';
import { CONFIG, OPTIONS, unseen } from '../../../training/induction/recipe.js';
import { change, headOf, NONE, tell } from '../../../web/panels/lab/compute.js';
import { explain } from '../../../web/panels/lab/explain.js';
import { difference } from '../../../web/panels/lab/push.js';
import { PROMPT } from '../../../web/panels/look/state.js';
import { Story } from '../../../web/panels/look/writing/story.js';
import { ATTENTION, INSTALL, MODEL } from '../../../web/panels/use/snippets.js';
import { letters } from '../../support/web/letters.js';
import { panel, running } from '../../support/web/shown-code.js';
import { attentionWeights } from '../recompute.js';

describe('the code that the page shows of a model', () => {
  const printed = running();
  let model;
  before(async () => {
    const layers = await init({ layers: true });
    model = await loadModel(letters(), { engine: layers });
  });

  test('the look, in code: the row of the head', async (t) => {
    const { codeOf } = await import('../../../web/panels/look/code.js');
    const ids = model.tokenizer.encode(PROMPT);
    const tokens = ids.map((id) => ({ id, text: '' }));
    model.setTemperature(2);
    await model.prefill(ids);
    const { weights } = model.row(1, 3, ids.length - 1);
    model.setTemperature(1);
    // a file of the reader's own has its own name
    const source = new File([], 'model.gguf');
    const code = codeOf({ tokens, layer: 1, head: 3, T: 2 }, { source });
    assert.match(code, /new URL\("model\.gguf"/);
    const short = codeOf({ tokens, text: PROMPT, layer: 1, head: 3, T: 2 }, { source });
    assert.ok(short.split('\n').length < 12 && short.includes(`text = ${JSON.stringify(PROMPT)};`));
    assert.deepEqual(await printed(t, short), await printed(t, code));
    const lines = await printed(t, code);
    assert.deepEqual(
      lines.map(([, weight]) => weight),
      [...weights],
    );
    // with the surprise of its word
    const [[, bits], ...rows] = await printed(
      t,
      codeOf({ tokens, layer: 1, head: 3, T: 2, bits: true }, { source }),
    );
    assert.deepEqual(rows, lines);
    const story = new Story(model.config, ids.length);
    for (const token of tokens) story.add(token);
    model.setTemperature(2);
    model.cache.clear();
    ids.forEach((id, i) => {
      const { heads, logits } = model.step(id, { observe: 'weights' });
      story.record(i, heads, logits);
    });
    model.setTemperature(1);
    assert.ok(Math.abs(bits - story.bits[ids.length - 1]) < 1e-4);
  });

  test('sharing, in code: the change of the row, and its bound', async (t) => {
    const { codeOfRow } = await import('../../../web/panels/sharing/code.js');
    const ids = model.tokenizer.encode(PROMPT);
    const code = (part, T) =>
      codeOfRow(
        { row: { layer: 1, head: 3, T: 2 }, ids, looks: { T }, files: new File([], 'model.gguf') },
        part,
      );
    const [[none]] = await printed(t, code(0, 2));
    assert.deepEqual(none, { change: 0, bound: 0 });
    const [[told]] = await printed(t, code(1, 2));
    model.setTemperature(2);
    await model.prefill(ids);
    const at = ids.length - 1;
    const { heads, kvHeads, headDim } = model.config;
    const sets = Array.from({ length: kvHeads }, (_, g) => model.row(1, (g * heads) / kvHeads, at));
    const { q, weights } = model.row(1, 3, at);
    model.setTemperature(1);
    const mean = sets[0].k.map((_, c) => sets.reduce((sum, { k }) => sum + k[c], 0) / kvHeads);
    const { weights: other } = attentionWeights(
      Array.from(q),
      Array.from({ length: at + 1 }, (_, j) =>
        Array.from(mean.subarray(j * headDim, (j + 1) * headDim)),
      ),
      2,
    );
    const change = Math.hypot(...other.map((p, j) => p - weights[j]));
    assert.ok(change > 0.001 && told.bound >= told.change);
    assert.ok(Math.abs(told.change - change) < 1e-5, `${told.change} and not ${change}`);
  });

  test('the lab, in code: the story under the changes, and its word explained', async (t) => {
    for (const changes of [
      {},
      { heads: ['1.3', '2.0'], how: 'blind', hidden: [2, 5], push: 0.5, against: 'none' },
      { heads: ['1.3', '2.0'], whose: 'changed' },
    ]) {
      const { codeOf, signals, values } = await panel('lab', {
        prompt: 'and she took',
        ...changes,
      });
      const lines = await printed(t, codeOf(signals, { whose: values.whose, at: 3 }, {}));
      const [[told]] = lines;
      await change(model, NONE);
      const prompt = model.tokenizer.encode('and she took').map((id) => ({ id, text: '' }));
      const { signal } = new AbortController();
      const before = await tell(model, signal, prompt, 4);
      const add =
        values.push && (await difference(model, values.towards, values.from, values.pushLayer));
      await change(model, {
        heads: values.heads.map(headOf),
        how: values.how,
        hidden: values.hidden,
        ...(add && { push: { layer: values.pushLayer, add, gain: values.push } }),
      });
      const story = await tell(model, signal, prompt, 40);
      assert.equal(told, story.map(({ text }) => text).join(''));
      model.cache.clear();
      const read = values.whose === 'changed' ? story.slice(0, 4) : before;
      const ids = [...prompt, ...read].map(({ id }) => id);
      const { layers, ledger } = await explain(model, ids, values.against === 'next');
      const shown = lines.slice(1, -2).map(([line]) => Number(line.match(/' (\S+),/)[1]));
      assert.deepEqual(
        shown,
        layers.map(({ probability }) => probability),
      );
      for (const name of ['embedding', 'heads', 'feedForward', 'interventions', 'rounding', 'rest'])
        assert.deepEqual(lines.at(-1)[0][name], ledger[name]);
    }
  });

  test('a head is born, in code: the loss of the first point', async (t) => {
    const { codeOf, values } = await panel('born', { seed: 4 });
    const [[{ step, loss }], ...more] = await printed(t, codeOf(values.seed, 1));
    const trainer = await createTrainer(CONFIG, { ...OPTIONS, seed: 4 });
    const { tokens, targets } = unseen();
    assert.deepEqual(
      { step, loss, more },
      {
        step: 0,
        loss: (await trainer.evaluate(tokens, { targets })).loss,
        more: [],
      },
    );
    trainer.dispose();
  });

  test('the other code runs as it stands', async (t) => {
    const [[entropy]] = await printed(t, `${INSTALL}\n${ATTENTION}`);
    assert.equal(entropy.length, 8 * 16);
    const words = await readFile(new URL('../../../web/index.html', import.meta.url), 'utf8');
    assert.ok(words.replaceAll('&gt;', '>').includes(`<code>${ATTENTION}\n</code>`));
    const lines = await printed(t, MODEL);
    assert.ok(lines.length > 3 && lines.every(([text]) => typeof text === 'string'));
  });
});
