/**
 * A real model, stories260K, from every file it comes in: greedy text equal to the reference,
 * logits near the float64 ones. Third-party data beside this repository; without it: skipped.
 */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { loadModel } from '../../../src/js/model/index.js';
import { engines } from '../../support/models/engines.js';

const models = new URL('../../../../shared/models/', import.meta.url);
const at = (path) => new URL(path, models);
const skip = existsSync(at('stories260K/NOTE.md')) ? false : 'skipped, not present';
const reference = (name) => at(`stories260K/reference/${name}`);
const prompts = { empty: '', once: 'Once upon a time', lily: 'Lily and Tom' };

/**
 * The tokenizer is the same. Only the rows of q and k, and their description in config.json,
 * differ.
 */
const hf = (folder) => ({
  weights: at(`stories260K/${folder}/model.safetensors`),
  config: at(`stories260K/${folder}/config.json`),
  tokenizer: at('stories260K/hf/tokenizer.json'),
  tokenizerConfig: at('stories260K/hf/tokenizer_config.json'),
});
/**
 * How far logits may be from float64, of the largest: float32 rounding; F16 weights are others, and
 * their reference is text alone.
 */
const files = [
  ['safetensors, half-split', () => hf('hf'), 1e-4],
  ['safetensors, interleaved', () => hf('interleaved'), 1e-4],
  ['GGUF F32', () => at('stories260K/gguf/stories260K-f32.gguf'), 1e-4],
  ['GGUF F32 of ggml-org', () => at('stories260K-ggml/stories260K.gguf'), 1e-4],
  ['GGUF F16', () => at('stories260K/gguf/stories260K-f16.gguf'), null],
];

/** Ids and logits of the reference, prompt by prompt. */
function* runs() {
  for (const name of Object.keys(prompts)) {
    const ids = JSON.parse(readFileSync(reference(`${name}.ids.json`)));
    const bytes = readFileSync(reference(`${name}.logits.f64`));
    yield {
      name,
      ...ids,
      logits: new Float64Array(
        bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length),
      ),
      text: readFileSync(reference(`${name}.txt`), 'utf8'),
    };
  }
}

const near = (tolerance) => (tolerance ? `, logits within ${tolerance}` : '');

for (const { variant, ch: engine } of engines)
  describe(`stories260K, ${variant} kernels`, { skip }, () => {
    for (const [name, source, tolerance] of files)
      test(`${name}: the reference text for all prompts${near(tolerance)}`, async (t) => {
        const model = await loadModel(source(), { engine });
        let worst = 0;
        for (const { name: prompt, prompt_tokens, fed, last, logits, calls, text } of runs()) {
          // the same calls as the reference made, and the token each chose
          model.cache.clear();
          for (const [call, token] of fed.entries()) {
            const got = model.step(token).logits;
            const want = logits.subarray(call * got.length, (call + 1) * got.length);
            const largest = want.reduce((a, b) => Math.max(a, Math.abs(b)), 0);
            worst = Math.max(
              worst,
              got.reduce((a, x, c) => Math.max(a, Math.abs(x - want[c])), 0) / largest,
            );
            if (call + 1 >= prompt_tokens)
              assert.equal(
                got.indexOf(Math.max(...got)),
                fed[call + 1] ?? last,
                `${prompt}, call ${call}`,
              );
          }
          // and as users have it: the output of run.c begins with the prompt
          let written = '';
          const tokens = [];
          for await (const next of model.generate(prompts[prompt], {
            maxTokens: calls - prompt_tokens + 1,
          })) {
            tokens.push(next.token);
            written += next.text;
          }
          assert.deepEqual(tokens, [...fed.slice(prompt_tokens), last], prompt);
          assert.ok(`${prompts[prompt]}${written}`.trimStart().startsWith(text), prompt);
        }
        t.diagnostic(`worst logit ${worst.toExponential(2)} of the largest`);
        if (tolerance) assert.ok(worst <= tolerance, `${worst} of the largest logit`);
        model.dispose();
      });

    test('GGUF Q8_0: the text is that of float64 until rounding decides', async (t) => {
      const model = await loadModel(at('stories260K/gguf/stories260K-q8_0.gguf'), { engine });
      const want = JSON.parse(readFileSync(reference('quantized.json')));
      for (const prompt of Object.keys(prompts)) {
        const { fed } = want[prompt]['gguf q8_0'];
        const ids = model.tokenizer.encode(prompts[prompt]);
        const tokens = [...ids];
        for await (const { token } of model.generate(ids, { maxTokens: 100 })) tokens.push(token);
        const same = tokens.findIndex((token, x) => token !== fed[x]);
        t.diagnostic(
          `${prompt}: the same for ${same < 0 ? 'all' : same} of ${tokens.length} tokens`,
        );
        assert.ok(same < 0 || same > 30, `${prompt}: another text after ${same} tokens`);
      }
      model.dispose();
    });
  });
