/** Damaged JSON files give a typed error or a model. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { repeats } from '../../support/campaign.js';
import { writeSafetensors } from '../../support/models/gguf-writer.js';
import { tinyJson } from '../../support/models/tiny-models.js';
import { loadWhole, readWhole, refused } from '../../support/streams.js';

/** One bit of this number is flipped, every bit of a byte in its turn. A long run flips each. */
const ONE_OF = repeats(11, 1);

/** A text with such bits changed, and cut off at each of its bytes. */
function* damaged(text) {
  const bytes = new TextEncoder().encode(text);
  for (let bit = 0; bit < bytes.length * 8; bit += ONE_OF) {
    const copy = bytes.slice();
    copy[bit >> 3] ^= 1 << (bit & 7);
    yield copy;
  }
  for (let length = 0; length < bytes.length; length++) yield bytes.subarray(0, length);
}

/** A vocabulary of letters with the other parts that a tokenizer.json may have. */
const tokenizer = {
  added_tokens: [
    { id: 3, content: '<s>', special: true, lstrip: false, normalized: false },
    { id: 4, content: '<x>', special: false, lstrip: true, normalized: true },
  ],
  normalizer: {
    type: 'Sequence',
    normalizers: [
      { type: 'Prepend', prepend: '_' },
      { type: 'Replace', pattern: { String: ' ' }, content: '_' },
    ],
  },
  pre_tokenizer: null,
  post_processor: {
    type: 'TemplateProcessing',
    single: [{ SpecialToken: { id: '<s>', type_id: 0 } }, { Sequence: { id: 'A', type_id: 0 } }],
    pair: [],
    special_tokens: { '<s>': { id: '<s>', ids: [3], tokens: ['<s>'] } },
  },
  decoder: {
    type: 'Sequence',
    decoders: [
      { type: 'Replace', pattern: { String: '_' }, content: ' ' },
      { type: 'ByteFallback' },
      { type: 'Fuse' },
      { type: 'Strip', content: ' ', start: 1, stop: 0 },
    ],
  },
  model: {
    type: 'BPE',
    vocab: { a: 0, _: 1, _a: 2, b: 5, '<unk>': 6 },
    merges: ['_ a'],
    unk_token: '<unk>',
    byte_fallback: true,
    ignore_merges: false,
  },
};

test('damaged JSON files are an error of ours or a model', async () => {
  const { weights, config } = tinyJson('llama');
  const blob = (bytes) => new Blob([bytes]);
  const counts = { refused: 0, loaded: 0 };
  const whole = { weights, config, tokenizer, generationConfig: { eos_token_id: [3, 'b'] } };
  assert.equal(await refused(() => loadWhole(whole)), null);
  for (const part of ['config', 'tokenizer', 'generationConfig'])
    for (const bytes of damaged(JSON.stringify(whole[part])))
      counts[
        (await refused(() => loadWhole({ ...whole, [part]: blob(bytes) }))) ? 'refused' : 'loaded'
      ]++;
  const { refused: errors, loaded } = counts;
  assert.ok(errors > 5000 / ONE_OF && loaded > 1000 / ONE_OF, JSON.stringify(counts));
});

test('so is the index of a model in several files', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'clearhead-index-'));
  const place = (name) => `m-${name}.safetensors`;
  const file = join(folder, 'm.safetensors.index.json');
  after(() => rmSync(folder, { recursive: true }));
  for (const name of ['a', 'b'])
    writeFileSync(
      join(folder, place(name)),
      writeSafetensors({ tensors: [{ name, shape: [2], data: new Float32Array(2) }] }),
    );
  const text = JSON.stringify({
    metadata: { total_size: 16 },
    weight_map: { a: place('a'), b: place('b') },
  });
  const load = (bytes) => {
    writeFileSync(file, bytes);
    return refused(() =>
      readWhole({ weights: pathToFileURL(file), config: tinyJson('llama').config }),
    );
  };
  assert.equal(await load(text), null);
  assert.equal(
    (await load('{"weight_map":{"a":{"toString":1,"valueOf":1},"b":{"toString":1}}}')).code,
    'FORMAT',
  );
  const errors = [];
  for (const bytes of damaged(text)) errors.push(await load(bytes));
  // all but those in the total, which nobody needs, and in the names around it
  assert.ok(
    errors.filter(Boolean).length > errors.length * 0.75,
    `${errors.filter(Boolean).length} of ${errors.length}`,
  );
});
