/**
 * Models of random weights in the shapes of real ones. The time and memory they need do not depend
 * on their training.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeGguf } from '../../tests/support/models/gguf-writer.js';
import { random } from '../../tests/support/random.js';

/**
 * As in the files of that name: stories15M (llama2.c) and SmolLM2-135M; with the positions the
 * cases need.
 */
export const SHAPES = {
  stories15M: {
    layers: 6,
    dim: 288,
    heads: 6,
    kvHeads: 6,
    hidden: 768,
    vocab: 32000,
    context: 2048,
    theta: 10000,
  },
  'SmolLM2-135M': {
    layers: 30,
    dim: 576,
    heads: 9,
    kvHeads: 3,
    hidden: 1536,
    vocab: 49152,
    context: 8192,
    theta: 100000,
  },
};
/**
 * Random bits made into weights of about 0.02: the sign and mantissa stay, the exponent is set; of
 * quantised types the scale.
 */
const FILL = {
  F32: (words) => words.forEach((x, at) => (words[at] = (x & 0x807fffff) | 0x3c800000)),
  F16: (words) => words.forEach((x, at) => (words[at] = (x & 0x83ff83ff) | 0x24002400)),
  Q8_0: (words) => scales(new Uint16Array(words.buffer), 17, 0x0a00),
  Q4_0: (words) => scales(new Uint16Array(words.buffer), 9, 0x1a00),
  Q5_0: (words) => scales(new Uint16Array(words.buffer), 11, 0x1600),
  Q4_K: (words) => scales(new Uint16Array(words.buffer), 72, 0x0600, 0x0a00),
};
const BYTES = {
  F32: [1, 4],
  F16: [1, 2],
  Q8_0: [32, 34],
  Q4_0: [32, 18],
  Q5_0: [32, 22],
  Q4_K: [256, 144],
};

/** A block is one or two scales in float16 and its quantised numbers. */
function scales(halves, block, ...all) {
  for (let at = 0; at < halves.length; at += block) halves.set(all, at);
}

/**
 * As llama.cpp stores it. Q4_K needs rows of whole blocks, and other rows become Q5_0. The
 * embedding, which is the output too, would be Q6_K. Here its rows are no whole blocks, so it
 * becomes Q8_0.
 * @param {string} type
 * @param {number} columns
 */
const stored = (type, columns, embedding = false) =>
  type !== 'Q4_K' ? type : embedding ? 'Q8_0' : columns % 256 ? 'Q5_0' : type;

function weights(type, count, seed) {
  const [block, bytes] = BYTES[type];
  const words = new Uint32Array(Math.ceil(((count / block) * bytes) / 4));
  let state = seed | 1;
  for (let at = 0; at < words.length; at++) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    words[at] = state;
  }
  FILL[type](words);
  return new Uint8Array(words.buffer, 0, (count / block) * bytes);
}

/**
 * Each printable character is a token, and no two of them make another: a prompt of n of them has n
 * tokens.
 */
function vocabulary(size) {
  const own = [
    '<unk>',
    '<s>',
    '</s>',
    ...Array.from(
      { length: 256 },
      (_, x) => `<0x${x.toString(16).toUpperCase().padStart(2, '0')}>`,
    ),
    '▁',
  ];
  for (let x = 33; x < 127; x++) own.push(String.fromCharCode(x));
  const tokens = own.concat(Array.from({ length: size - own.length }, (_, x) => `一${x}`));
  return {
    'tokenizer.ggml.model': 'llama',
    'tokenizer.ggml.tokens': tokens,
    'tokenizer.ggml.scores': Float32Array.from(tokens, (_, x) => -x),
    'tokenizer.ggml.token_type': Int32Array.from(tokens, (_, x) =>
      x === 0 ? 2 : x < 3 ? 3 : x < 259 ? 6 : 1,
    ),
    'tokenizer.ggml.bos_token_id': 1,
    'tokenizer.ggml.eos_token_id': 2,
    'tokenizer.ggml.unknown_token_id': 0,
  };
}

/**
 * A prompt of about that many tokens for any tokenizer of these files: with the mark at the
 * beginning and the space, two more.
 */
export const prompt = (tokens) =>
  Array.from({ length: tokens - 2 }, (_, x) =>
    String.fromCharCode(97 + ((x * x + 3 * x) % 26)),
  ).join('');

/** Identifies this version of the code: another version writes another model. */
const RECIPE = [
  './files.js',
  '../../tests/support/models/gguf-writer.js',
  '../../tests/support/random.js',
]
  .reduce(
    (hash, file) => hash.update(readFileSync(new URL(file, import.meta.url))),
    createHash('sha256'),
  )
  .digest('hex')
  .slice(0, 8);
const MODELS = 'build/bench/models';

/**
 * The file's place below the repository; written when it is not there, and those of other versions
 * are removed.
 * @param {keyof typeof SHAPES} name
 * @param {string} type
 */
export function modelFile(name, type) {
  const place = `${MODELS}/${RECIPE}/${name}-${type}.gguf`;
  const path = fileURLToPath(new URL(`../../${place}`, import.meta.url));
  if (existsSync(path)) return place;
  if (!existsSync(dirname(path)))
    rmSync(new URL(`../../${MODELS}`, import.meta.url), { recursive: true, force: true });
  const s = SHAPES[name];
  const { next } = random(s.dim);
  const tensors = [];
  const kv = (s.dim / s.heads) * s.kvHeads;
  const add = (tensor, ...shape) => {
    if (shape.length === 1)
      return tensors.push({ name: tensor, shape, data: new Float32Array(shape[0]).fill(1) });
    const its = stored(type, shape[1], tensor === 'token_embd.weight');
    return tensors.push({
      name: tensor,
      type: its,
      shape,
      data: weights(its, shape[0] * shape[1], next()),
    });
  };
  add('token_embd.weight', s.vocab, s.dim);
  // the mark of the end, which has logit 0 so, is never the likeliest
  const { data } = tensors[0];
  const row = data.length / s.vocab;
  data.fill(0, 2 * row, 3 * row);
  for (let layer = 0; layer < s.layers; layer++) {
    const at = (part) => `blk.${layer}.${part}.weight`;
    add(at('attn_norm'), s.dim);
    add(at('attn_q'), s.dim, s.dim);
    add(at('attn_k'), kv, s.dim);
    add(at('attn_v'), kv, s.dim);
    add(at('attn_output'), s.dim, s.dim);
    add(at('ffn_norm'), s.dim);
    add(at('ffn_gate'), s.hidden, s.dim);
    add(at('ffn_up'), s.hidden, s.dim);
    add(at('ffn_down'), s.dim, s.hidden);
  }
  add('output_norm.weight', s.dim);
  const float = (value) => ({ type: 'f32', value });
  const metadata = {
    'general.architecture': 'llama',
    'general.name': `${name}, random`,
    'llama.context_length': s.context,
    'llama.embedding_length': s.dim,
    'llama.block_count': s.layers,
    'llama.feed_forward_length': s.hidden,
    'llama.attention.head_count': s.heads,
    'llama.attention.head_count_kv': s.kvHeads,
    'llama.rope.dimension_count': s.dim / s.heads,
    'llama.attention.layer_norm_rms_epsilon': float(1e-5),
    'llama.rope.freq_base': float(s.theta),
    ...vocabulary(s.vocab),
  };
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(`${path}.part`, writeGguf({ metadata, tensors }));
  renameSync(`${path}.part`, path);
  return place;
}
