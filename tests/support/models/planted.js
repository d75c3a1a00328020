/**
 * A model of two layers whose four heads are planted: each row of attention is known without a
 * forward pass.
 *
 * - 0.0 looks MATCH times as much at tokens like its own, itself included, as at others.
 * - 0.1 looks one token back, and writes that token for the next layer.
 * - 1.0 looks at the tokens behind those like its own, as 0.1 tells, and writes them as the next
 *   token. Where there are none it looks at all tokens alike.
 * - 1.1 looks at all tokens alike, and writes nothing.
 */

export const VOCAB = 64;
export const MATCH = 8;
const DIM = 256;
const HEAD = 128;
/** Channels of the stream: one constant, then one for each token, in three parts. */
const [CONSTANT, TOKEN, BEFORE, NEXT] = [0, 1, 1 + VOCAB, 1 + 2 * VOCAB];
/** Rotations of pair c of a head turn by ROPE^(−c/64) a position: from c = 32 on hardly at all. */
const ROPE = 1e12;
/** The channel of a head for a token, of a pair that is hardly turned. */
const still = (token) => (token < 32 ? 32 + token : 64 + token);

/** Sizes of the stream's non-zero channels after the norms of layer 0, layer 1 and the output. */
const [H0, H1, H2] = [2, 3, 4].map((ones) => Math.sqrt(DIM / ones));
/** The logit of the token that head 1.0 writes when it looks at one token. */
export const LOGIT = 20;
/** That of a token with the weight p, where all weights have the sum of squares `squares`. */
export const logitOf = (p, squares) => (LOGIT / H2) * p * Math.sqrt(DIM / (3 + squares));

/** Weights of a query and a key that make a score of `size`. @param {number} h of the inputs */
const half = (size, h) => Math.sqrt(size * Math.sqrt(HEAD)) / h;

/** The model, as tiny makes them. */
export function planted() {
  const tensors = {};
  const zeros = (name, rows, columns) => {
    const data = new Float32Array(rows * columns);
    tensors[`${name}.weight`] = { shape: [rows, columns], data };
    return (row, column, x) => void (data[row * columns + column] = x);
  };
  const norm = (name) =>
    (tensors[`${name}.weight`] = { shape: [DIM], data: new Float32Array(DIM).fill(1) });
  const tokens = [...Array(VOCAB).keys()];
  const embed = zeros('model.embed_tokens', VOCAB, DIM);
  const output = zeros('lm_head', VOCAB, DIM);
  for (const token of tokens) {
    embed(token, CONSTANT, 1);
    embed(token, TOKEN + token, 1);
    output(token, NEXT + token, LOGIT / H2);
  }
  norm('model.norm');
  const layers = [0, 1].map((layer) => {
    const at = `model.layers.${layer}`;
    for (const name of ['input', 'post_attention']) norm(`${at}.${name}_layernorm`);
    for (const name of ['gate', 'up']) zeros(`${at}.mlp.${name}_proj`, 8, DIM);
    zeros(`${at}.mlp.down_proj`, DIM, 8);
    const [q, k, v] = ['q', 'k', 'v'].map((x) => zeros(`${at}.self_attn.${x}_proj`, 2 * HEAD, DIM));
    return { q, k, v, o: zeros(`${at}.self_attn.o_proj`, DIM, 2 * HEAD) };
  });
  const [{ q: q0, k: k0, v: v0, o: o0 }, { q: q1, k: k1, v: v1, o: o1 }] = layers;
  for (const pair of [0, 4, 12]) {
    // the score is Σ 150·cos((i − j − 1)·angle), which is largest at j = i − 1
    const angle = ROPE ** (-pair / 64);
    q0(HEAD + pair, CONSTANT, half(150, H0));
    k0(HEAD + pair, CONSTANT, half(150, H0) * Math.cos(angle));
    k0(HEAD + 64 + pair, CONSTANT, half(150, H0) * Math.sin(angle));
  }
  for (const token of tokens) {
    const channel = still(token);
    for (const w of [q0, k0]) w(channel, TOKEN + token, half(Math.log(MATCH), H0));
    v0(HEAD + channel, TOKEN + token, 1);
    o0(BEFORE + token, HEAD + channel, 1 / H0);
    q1(channel, TOKEN + token, half(40, H1));
    k1(channel, BEFORE + token, half(40, H1));
    v1(channel, TOKEN + token, 1);
    o1(NEXT + token, channel, 1 / H1);
  }
  const config = {
    model_type: 'llama',
    hidden_size: DIM,
    intermediate_size: 8,
    num_hidden_layers: 2,
    num_attention_heads: 2,
    num_key_value_heads: 2,
    head_dim: HEAD,
    vocab_size: VOCAB,
    rms_norm_eps: 1e-12,
    max_position_embeddings: 96,
    rope_theta: ROPE,
    tie_word_embeddings: false,
  };
  return { config, tensors };
}

/**
 * The rows of the heads 0.0, 0.1, 1.0 and 1.1 at one position.
 * @param {number[]} ids
 * @param {number} position
 */
export function rowsOf(ids, position) {
  const seen = ids.slice(0, position + 1);
  const own = ids[position];
  const normal = (row) => {
    const sum = row.reduce((all, x) => all + x);
    return row.map((x) => x / sum);
  };
  const behind = seen.map((_, j) => Number(ids[Math.max(0, j - 1)] === own));
  const alike = seen.map(() => 1);
  return [
    normal(seen.map((id) => (id === own ? MATCH : 1))),
    seen.map((_, j) => Number(j === Math.max(0, position - 1))),
    normal(behind.includes(1) ? behind : alike),
    normal(alike),
  ];
}

const mean = (list) => list.reduce((a, b) => a + b, 0) / list.length;
export const entropyOf = (row) => row.reduce((sum, p) => sum - (p > 0 ? p * Math.log(p) : 0), 0);

/**
 * The scores of the four heads on sequences that come twice, by the definitions.
 * @param {number[][]} repeats each [begin..., period, period]
 * @param {number} begin tokens before the first period
 */
export function scoresOf(repeats, begin = 0) {
  const rows = repeats.flatMap((ids) => {
    const period = (ids.length - begin) / 2;
    return ids.map((_, i) => ({ i, period, rows: rowsOf(ids, i) }));
  });
  const texts = rows.filter(({ i }) => i >= 2);
  const later = rows.filter(({ i, period }) => i >= begin + period);
  return [0, 1, 2, 3].map((head) => {
    const points = texts.map(({ i, rows: own }) => [Math.log(i + 1), entropyOf(own[head])]);
    const [x, y] = [0, 1].map((axis) => mean(points.map((point) => point[axis])));
    const slope =
      mean(points.map(([a, b]) => (a - x) * (b - y))) / mean(points.map(([a]) => (a - x) ** 2));
    return {
      previous: mean(texts.map(({ i, rows: own }) => own[head][i - 1])),
      first: mean(texts.map(({ rows: own }) => own[head][0])),
      duplicate: mean(later.map(({ i, period, rows: own }) => own[head][i - period])),
      induction: mean(later.map(({ i, period, rows: own }) => own[head][i - period + 1])),
      robustness: Math.min(1, Math.max(0, 1 - slope)),
    };
  });
}
