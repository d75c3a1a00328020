/**
 * Damaged model files all the way through loadModel: a typed error, or a model that computes; never
 * a trap, a hang or lost memory.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { init } from '../../../src/js/index.js';
import { loadModel } from '../../../src/js/model/index.js';
import { random } from '../../support/random.js';
import { asGguf, asSafetensors, configs, tiny } from '../../support/models/random-models.js';
import { writeSafetensors } from '../../support/models/gguf-writer.js';
import { inChunks, loadWhole, readWhole, refused } from '../../support/streams.js';
import { tinyJson } from '../../support/models/tiny-models.js';

const engine = await init({ variant: 'simd', layers: true });
const small = {
  ...configs['qwen3, untied'],
  num_hidden_layers: 1,
  hidden_size: 8,
  num_attention_heads: 2,
  intermediate_size: 6,
  vocab_size: 60,
};
const gguf = asGguf(tiny(small));
const { weights, config } = asSafetensors(tiny(small));
/** Where the next block of memory would lie. */
const memoryTop = () => {
  const tensor = engine.tensor([1]);
  const at = tensor.data.byteOffset;
  tensor.dispose();
  return at;
};

/** Loads and uses it; says which error came, or that none did. */
async function outcome(source) {
  let model;
  try {
    model = await loadModel(source, { engine });
    const { logits, heads } = model.prefill([1, 2, 3], { observe: 'stats' });
    assert.equal(logits.length, 60);
    assert.equal(heads.n.length, 6);
    for await (const { token } of model.generate([4, 5], { maxTokens: 2 }))
      assert.ok(token >= 0 && token < 60);
    return 'works';
  } catch (error) {
    assert.equal(error.name, 'ClearheadError', `${error.stack}`);
    assert.notEqual(error.code, 'TRAPPED', error.message);
    return error.code;
  } finally {
    model?.dispose();
  }
}

for (const [name, bytes, wrap] of [
  ['GGUF', gguf, (x) => x],
  ['safetensors', weights, (x) => ({ weights: x, config })],
]) {
  test(`${name}: cut off anywhere it is an error`, async () => {
    await outcome(wrap(bytes));
    const before = memoryTop();
    const r = random(1);
    for (let cut = 0; cut < bytes.length; cut += r.integer(1, 40))
      assert.notEqual(await outcome(wrap(bytes.slice(0, cut))), 'works', `${cut} bytes`);
    assert.equal(memoryTop(), before, 'all memory is given back');
  });

  test(`${name}: with any bit flipped it is an error or a model`, async (t) => {
    const before = memoryTop();
    const r = random(2);
    const counts = {};
    for (let x = 0; x < 600; x++) {
      const at =
        x < 400 ? r.integer(0, Math.min(bytes.length, 4000) - 1) : r.integer(0, bytes.length - 1);
      const damaged = bytes.slice();
      damaged[at] ^= 1 << r.integer(0, 7);
      const result = await outcome(wrap(damaged));
      counts[result] = (counts[result] ?? 0) + 1;
    }
    t.diagnostic(JSON.stringify(counts));
    assert.ok(counts.works > 10 && counts.FORMAT > 10, 'both kinds were seen');
    assert.equal(memoryTop(), before, 'all memory is given back');
  });
}

test('NaN gives NaN, or a typed error when a token is chosen from it', async () => {
  const source = tiny(small);
  source.tensors['model.layers.0.mlp.down_proj.weight'].data[3] = NaN;
  const model = await loadModel(asSafetensors(source), { engine });
  assert.ok(model.prefill([1, 2]).logits.some(Number.isNaN));
  await assert.rejects(model.generate([1, 2]).next(), { name: 'ClearheadError', code: 'RANGE' });
  assert.equal(model.prefill([1]).logits.length, 60);
  model.dispose();
});

test('memory grows with what arrives, not with what a header announces', async () => {
  const config = {
    model_type: 'llama',
    hidden_size: 1024,
    intermediate_size: 8192,
    num_hidden_layers: 8,
    num_attention_heads: 8,
    vocab_size: 1024,
    tie_word_embeddings: true,
  };
  const layer = [
    'input_layernorm',
    [1024],
    ...['q', 'k', 'v', 'o'].flatMap((x) => [`self_attn.${x}_proj`, [1024, 1024]]),
    'post_attention_layernorm',
    [1024],
    'mlp.gate_proj',
    [8192, 1024],
    'mlp.up_proj',
    [8192, 1024],
    'mlp.down_proj',
    [1024, 8192],
  ];
  const shapes = [
    ['model.embed_tokens', [1024, 1024]],
    ['model.norm', [1024]],
  ];
  for (let at = 0; at < 8; at++)
    for (let i = 0; i < layer.length; i += 2)
      shapes.push([`model.layers.${at}.${layer[i]}`, layer[i + 1]]);
  let end = 0;
  const header = JSON.stringify(
    Object.fromEntries(
      shapes.map(([name, shape]) => [
        `${name}.weight`,
        { dtype: 'F32', shape, data_offsets: [end, (end += shape.reduce((a, b) => a * b) * 4)] },
      ]),
    ),
  );
  const begun = new Uint8Array(8 + header.length + 2 ** 20);
  const own = await init({ variant: 'simd', layers: true });
  const size = () => own.tensor([1]).data.buffer.byteLength;
  new DataView(begun.buffer).setBigUint64(0, BigInt(header.length), true);
  begun.set(new TextEncoder().encode(header), 8);
  const before = size();
  const weights = () =>
    inChunks(begun, 2 ** 16, { 'content-length': String(8 + header.length + end) });
  assert.ok(end > 2 ** 29, 'of 900 MB, 1 MB comes');
  await assert.rejects(loadModel({ weights: weights(), config }, { engine: own }), {
    code: 'INTEGRITY',
  });
  assert.ok(size() - before < 2 ** 23, `${size() - before} bytes more`);
});

test('a whole file takes little more memory than it has bytes', async () => {
  const model = tiny({
    ...configs['llama, tied, grouped'],
    num_hidden_layers: 4,
    hidden_size: 256,
    intermediate_size: 4096,
    num_attention_heads: 4,
    num_key_value_heads: 4,
    vocab_size: 512,
  });
  const source = asSafetensors(model);
  const own = await init({ variant: 'simd', layers: true });
  const size = () => own.tensor([1]).data.buffer.byteLength;
  const before = size();
  const loaded = await loadModel(source, { engine: own, context: 8 });
  assert.ok(source.weights.length > 2 ** 25);
  assert.ok(
    size() - before < source.weights.length * 1.02 + 2 ** 22,
    `${size() - before} of ${source.weights.length}`,
  );
  loaded.dispose();
});

/** A text with each of its bits changed, and cut off at each of its bytes. */
function* damaged(text) {
  const bytes = new TextEncoder().encode(text);
  for (let bit = 0; bit < bytes.length * 8; bit++) {
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
  const counts = { refused: 0, taken: 0 };
  const whole = { weights, config, tokenizer, generationConfig: { eos_token_id: [3, 'b'] } };
  assert.equal(await refused(() => loadWhole(whole)), null);
  for (const part of ['config', 'tokenizer', 'generationConfig'])
    for (const bytes of damaged(JSON.stringify(whole[part])))
      counts[
        (await refused(() => loadWhole({ ...whole, [part]: blob(bytes) }))) ? 'refused' : 'taken'
      ]++;
  assert.ok(counts.refused > 5000 && counts.taken > 1000, JSON.stringify(counts));
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
