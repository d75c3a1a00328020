/** The numbers of the evaluation are those of the models that it is given. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { init } from '../../src/js/index.js';
import { loadModel } from '../../src/js/model/index.js';
import { DEFINITIONS } from '../../src/js/model/inspect/definitions.js';
import { SCORES, evaluate, verdicts } from '../../training/stories/evaluation/index.js';
import { questionSet, repeatSet, storySet } from '../../training/stories/evaluation/sets.js';
import {
  PIECES,
  TOKENIZER_CONFIG,
  learnTokenizer,
  openTokenizer,
} from '../../training/stories/tokens/tokenizer.js';
import { tellStory } from '../../training/stories/world/index.js';
import { asGguf, asSafetensors, configs, tiny } from '../support/models/random-models.js';
import { forward } from '../support/models/forward.js';
import { scriptedModel } from '../support/training/scripted-model.js';

const file = learnTokenizer();
const tokenizer = openTokenizer(file);
const sizes = { questions: 60, stories: 4, repeats: 3, period: 16, samples: 2 };

describe('the questions', () => {
  const asked = questionSet(1200);

  test('are more than a thousand, each another, with an answer of their own', () => {
    assert.equal(new Set(asked.map(({ prompt }) => prompt)).size, 1200);
    for (const { prompt, answer, sources, core } of asked) {
      assert.match(prompt, /\n\n[A-Z][^\n]*\?$/);
      assert.match(answer, /^[A-Z].*\.$/);
      for (const [from, to] of sources)
        assert.equal(prompt.slice(from, to).toLowerCase(), core.toLowerCase());
    }
  });

  test('are of many kinds', () => {
    const kinds = new Set(asked.map(({ kind }) => kind));
    assert.deepEqual([...kinds].sort(), 'by first has last list where word'.split(' '));
  });

  test('and the other texts are the same each time', () => {
    assert.deepEqual(questionSet(50), asked.slice(0, 50));
    assert.deepEqual(storySet(3), storySet(4).slice(0, 3));
    const sequences = repeatSet(5, { size: 1024, period: 16 });
    for (const ids of sequences) {
      assert.equal(ids.length, 32);
      assert.deepEqual(ids.slice(0, 16), ids.slice(16));
    }
    assert.equal(new Set(sequences.map((ids) => ids.join())).size, 5);
  });
});

describe('a scripted model', () => {
  const answers = new Map(questionSet(60).map(({ prompt, answer }) => [prompt, answer]));
  /** Where the last token was before, or −1. */
  const before = (ids) => ids.lastIndexOf(ids.at(-1), ids.length - 2);
  const model = scriptedModel({
    tokenizer,
    heads: [
      (ids) => [Math.max(0, ids.length - 2)],
      () => [0],
      (ids) => (before(ids) < 0 ? null : [before(ids)]),
      (ids) => (before(ids) < 0 ? null : [before(ids) + 1]),
      () => null,
    ],
    next: (ids) => ids[before(ids) + 1],
    says: (prompt, { seed }) => {
      if (!prompt) return seed === 1 ? tellStory(1, 1).text : 'Once upon a time.';
      return prompt.includes('Where') ? ' Nowhere.' : ` ${answers.get(prompt)}`;
    },
  });

  test('earns each label with the head that was written for it, and with no other', async () => {
    const { heads } = await evaluate(model, sizes);
    const wanted = ['previous', 'first', 'duplicate', 'induction'];
    for (const [head, score] of wanted.entries()) {
      assert.deepEqual(heads[head].labels, [DEFINITIONS[score].label]);
      assert.ok(Math.abs(heads[head].scores[score] - 1) < 1e-6);
    }
    assert.deepEqual(heads[4].labels, []);
    for (const score of SCORES) assert.ok(heads[4].scores[score] < 0.2);
  });

  test('is right where it says the answer, and continues what repeats', async () => {
    const { answers: result, induction, written } = await evaluate(model, sizes);
    const expected = [...answers.keys()].filter((prompt) => !prompt.includes('Where')).length;
    assert.deepEqual([result.right, result.total], [expected, 60]);
    assert.equal(result.wrong.length, 60 - expected);
    assert.equal(result.kinds.where.right, 0);
    assert.deepEqual(induction, { right: 3 * 15, total: 3 * 15 });
    assert.deepEqual([written.whole, written.total], [1, 2]);
  });

  test('that looks at the source has that label, and reaches the goals', async () => {
    const asked = questionSet(60);
    /** The positions of the source, by the ids of the prompt. */
    const sources = new Map();
    for (const { prompt, sources: spans } of asked) {
      const positions = spans.flatMap(([from, to]) => {
        const until = (at) => tokenizer.encode(prompt.slice(0, at).trimEnd()).length;
        return Array.from({ length: until(to) - until(from) }, (_, x) => until(from) + x);
      });
      sources.set(tokenizer.encode(prompt).join(), positions);
    }
    const right = scriptedModel({
      tokenizer,
      heads: [
        (ids) => {
          for (let cut = ids.length; cut > ids.length - 12; cut--) {
            const found = sources.get(ids.slice(0, cut).join());
            if (found) return found;
          }
          return [0];
        },
      ],
      next: (ids) => ids[before(ids) + 1],
      says: (prompt) => answers.get(prompt) ?? '',
    });
    const evaluation = await evaluate(right, sizes);
    assert.ok(evaluation.heads[0].scores.source > 0.95, `${evaluation.heads[0].scores.source}`);
    assert.ok(evaluation.heads[0].labels.includes('answer source'));
    assert.ok(verdicts(evaluation).every(({ met }) => met));
    const missed = verdicts(await evaluate(model, sizes)).filter(({ met }) => !met);
    assert.deepEqual(
      missed.map(({ name }) => name),
      ['answers', 'source'],
    );
  });
});

describe('a model with random weights', () => {
  const made = tiny({
    ...configs['llama, tied, grouped'],
    vocab_size: PIECES,
    max_position_embeddings: 512,
    num_hidden_layers: 2,
  });
  const json = { tokenizer: file, tokenizerConfig: TOKENIZER_CONFIG };

  test('has the perplexity and the weights of a plain pass in float64', async () => {
    const engine = await init({ layers: true, variant: 'simd' });
    const model = await loadModel(asSafetensors(made, json), { engine });
    const { perplexity, heads, induction, answers } = await evaluate(model, {
      questions: 2,
      stories: 1,
      repeats: 1,
      period: 8,
      samples: 0,
    });
    const ids = tokenizer.encode(storySet(1)[0]);
    const passes = forward(made, ids);
    const nats = passes.slice(0, -1).map(({ logits }, at) => {
      const max = Math.max(...logits);
      const sum = logits.reduce((total, x) => total + Math.exp(x - max), 0);
      return max + Math.log(sum) - logits[ids[at + 1]];
    });
    const mean = (list) => list.reduce((sum, x) => sum + x, 0) / list.length;
    const expected = Math.exp(mean(nats));
    // logits of float32 differ by some 1e-6 of the largest, which is about 30
    assert.ok(Math.abs(perplexity / expected - 1) < 1e-4, `${perplexity}, not ${expected}`);
    assert.equal(heads.length, 2 * 4);
    for (const { layer, head, scores } of heads) {
      const rows = passes.map(({ layers }) => layers[layer].weights[head]);
      const previous = mean(rows.slice(2).map((row) => row[row.length - 2]));
      assert.ok(Math.abs(scores.previous - previous) < 1e-5);
      assert.ok(Math.abs(scores.first - mean(rows.slice(2).map((row) => row[0]))) < 1e-5);
    }
    assert.deepEqual([induction.total, answers.total], [7, 2]);
    model.dispose();
  });

  test('has the same numbers as GGUF', async () => {
    const engine = await init({ layers: true, variant: 'simd' });
    // keys that are digits come first in an object, so they are put in the order of ids
    const byId = Object.entries(file.model.vocab).sort(([, a], [, b]) => a - b);
    const tokens = byId.map(([token]) => token);
    const gguf = asGguf(made, {
      'tokenizer.ggml.model': 'gpt2',
      'tokenizer.ggml.pre': 'gpt-2',
      'tokenizer.ggml.tokens': tokens,
      'tokenizer.ggml.token_type': Int32Array.from(tokens, (_, id) => (id ? 1 : 3)),
      'tokenizer.ggml.merges': file.model.merges,
      'tokenizer.ggml.bos_token_id': 0,
      'tokenizer.ggml.eos_token_id': 0,
      'tokenizer.ggml.add_bos_token': true,
    });
    const small = { questions: 3, stories: 1, repeats: 1, period: 8, samples: 0 };
    const [a, b] = await Promise.all(
      [asSafetensors(made, json), gguf].map(async (source) =>
        evaluate(await loadModel(source, { engine }), small),
      ),
    );
    assert.deepEqual(a.answers, b.answers);
    assert.deepEqual(a.induction, b.induction);
    // rotary pairs lie side by side in GGUF, and so sums have another order
    assert.ok(Math.abs(a.perplexity / b.perplexity - 1) < 1e-4);
    for (const [x, { scores }] of a.heads.entries())
      for (const score of SCORES)
        assert.ok(Math.abs(scores[score] - b.heads[x].scores[score]) < 1e-5);
  });

  test('is measured by the command, which fails for want of the goals', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'clearhead-stories-'));
    try {
      const { weights, config } = asSafetensors(made);
      writeFileSync(join(folder, 'model.safetensors'), weights);
      const files = { config, tokenizer: file, tokenizer_config: TOKENIZER_CONFIG };
      for (const [name, content] of Object.entries(files))
        writeFileSync(join(folder, `${name}.json`), JSON.stringify(content));
      const command = fileURLToPath(new URL('../../training/stories/evaluate.js', import.meta.url));
      const sizes = '--questions 3 --stories 1 --repeats 1 --samples 1'.split(' ');
      const [code, output] = await new Promise((settled) =>
        execFile(
          process.execPath,
          [command, join(folder, 'model.safetensors'), ...sizes],
          (error, stdout) => settled([error?.code ?? 0, stdout]),
        ),
      );
      assert.equal(code, 1, output);
      assert.match(output, /^answers +\d of 3 right$/m);
      assert.match(output, /^perplexity \d+\.\d{4} over \d+ tokens$/m);
      assert.match(output, /^written +0 of 1 are whole, at a temperature of 0\.3\n {2}seed 1: “/m);
      assert.match(output, /^layer head +previous +first +duplicate +induction +source +labels$/m);
      assert.match(output, /^answers: \d+\.\d %, goal 98.0 %, missed$/m);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
