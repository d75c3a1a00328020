/**
 * How much a head copies: the eigenvalues of its OV circuit through the vocabulary, from token to
 * logit (Elhage et al. 2021, "A Mathematical Framework for Transformer Circuits"):
 *
 *     M = W_U diag(g) W_O W_V diag(g') E        (vocab, vocab)
 *
 * E has the embedding of each token as the layer's norm leaves it, without its scale g', and g is
 * that of the last norm. A norm behind attention gives its scale as well. M has the rank of a head,
 * and the eigenvalues of AB are those of BA but for zeros. So they are those of
 *
 *     W_V diag(g') (E W_U) diag(g) W_O          (headDim, headDim)
 *
 * where E W_U (modelDim, modelDim) is the same for all heads.
 */
import { F32 } from '../../engine/tensor.js';
import { eigenvalues } from './eigenvalues.js';
import { eachRow, outputOf, vectorOf } from './ledger/weights.js';

/** Tokens whose embeddings are multiplied at once. */
const TOKENS = 512;

/**
 * @typedef {import('../run/decoder.js').Decoder} Decoder
 * @typedef {import('../../engine/memory.js').Memory} Memory
 */

/**
 * (rows, columns) by its columns. @param {Float32Array} x @param {number} rows @param {number}
 * columns
 */
function transposed(x, rows, columns) {
  const y = new Float32Array(x.length);
  for (let r = 0; r < rows; r++)
    for (let c = 0; c < columns; c++) y[c * rows + r] = x[r * columns + c];
  return y;
}

/**
 * a·bᵀ of (m, columns) and (n, columns), in float32.
 * @param {Memory} memory
 * @param {Float32Array} a
 * @param {Float32Array} b
 * @param {number} columns
 * @returns {Float32Array} (m, n)
 */
function product(memory, a, b, columns) {
  const { c } = memory;
  const [m, n] = [a.length / columns, b.length / columns];
  return memory.scope(() => {
    const matrix = memory.push(c.attn_matrix_bytes(0, n, columns));
    c.attn_matrix_init(matrix, 0, n, columns);
    c.attn_matrix_pack(matrix, 0, memory.put(b, F32), 0, n);
    const prepared = memory.push(c.attn_multiply_prepared_bytes(0, m, columns));
    c.attn_multiply_prepare(prepared, memory.put(a, F32), 0, m, columns, 0);
    const out = memory.pushArray(F32, m * n);
    c.attn_multiply(out, n, matrix, prepared, m, 0, n);
    return memory.copy(F32, out, m * n);
  });
}

/**
 * Rows [first, end) of a matrix. @param {Memory} memory @param {number} matrix @param {number}
 * first @param {number} end @param {(row: Float32Array) => number} scale of each
 */
function rowsOf(memory, matrix, first, end, scale) {
  const columns = memory.c.attn_matrix_columns(matrix);
  const rows = new Float32Array((end - first) * columns);
  eachRow(
    memory,
    matrix,
    (row, index) => {
      const factor = scale(row);
      for (let c = 0, at = (index - first) * columns; c < columns; c++, at++)
        rows[at] = row[c] * factor;
    },
    first,
    end,
  );
  return rows;
}

/**
 * (E W_U)ᵀ, in steps.
 * @param {Decoder} decoder
 * @returns {Generator<number, Float64Array, void>} (modelDim, modelDim)
 */
function* throughVocabulary({ memory, config, weights }) {
  const { vocab, modelDim: dim, embeddingScale, normEps } = config;
  const sum = new Float64Array(dim * dim);
  const one = () => 1;
  const normed = (/** @type {Float32Array} */ row) => {
    let squares = 0;
    for (let c = 0; c < dim; c++) squares += (row[c] * embeddingScale) ** 2;
    return embeddingScale / Math.sqrt(squares / dim + normEps);
  };
  for (let first = 0; first < vocab; first += TOKENS) {
    const end = Math.min(vocab, first + TOKENS);
    const from = rowsOf(memory, weights.embedding, first, end, normed);
    const to = rowsOf(memory, outputOf(weights), first, end, one);
    const part = product(
      memory,
      transposed(to, end - first, dim),
      transposed(from, end - first, dim),
      end - first,
    );
    for (let x = 0; x < part.length; x++) sum[x] += part[x];
    yield end / vocab;
  }
  return sum;
}

/** Σ Re λ / Σ |λ|; 0 where all are 0. @param {{ re: number, im: number }[] | null} values */
function share(values) {
  if (!values) return NaN;
  const size = values.reduce((sum, { re, im }) => sum + Math.hypot(re, im), 0);
  return size ? values.reduce((sum, { re }) => sum + re, 0) / size : 0;
}

/**
 * The copying scores of all heads, in short steps that each tell the part that is done.
 * @param {Decoder} decoder
 * @returns {Generator<number, Float64Array, void>} (layers, heads)
 */
export function* copyingScores(decoder) {
  const { memory, config, weights } = decoder;
  const { layers, heads, kvHeads, headDim, modelDim: dim } = config;
  const scores = new Float64Array(layers * heads);
  const circuit = throughVocabulary(decoder);
  let step = circuit.next();
  for (; !step.done; step = circuit.next()) yield step.value / 2;
  const through = Float32Array.from(step.value);
  const last = /** @type {Float32Array} */ (vectorOf(memory, weights.outputNorm, dim));
  for (let layer = 0; layer < layers; layer++) {
    const w = weights.layers[layer];
    const before = /** @type {Float32Array} */ (vectorOf(memory, w.attnNorm, dim));
    const behind = vectorOf(memory, w.attnPostNorm, dim);
    const values = rowsOf(memory, w.v, 0, kvHeads * headDim, () => 1);
    for (let x = 0; x < values.length; x++) values[x] *= before[x % dim];
    const seen = product(memory, values, through, dim); // (kvHeads·headDim, dim)
    for (let x = 0; x < seen.length; x++) seen[x] *= last[x % dim] * (behind?.[x % dim] ?? 1);
    const outputs = transposed(
      rowsOf(memory, w.attnOut, 0, dim, () => 1),
      dim,
      heads * headDim,
    );
    for (let head = 0; head < heads; head++) {
      const kvHead = Math.floor(head / (heads / kvHeads));
      const size = headDim * dim;
      const matrix = product(
        memory,
        seen.subarray(kvHead * size, (kvHead + 1) * size),
        outputs.subarray(head * size, (head + 1) * size),
        dim,
      );
      scores[layer * heads + head] = share(eigenvalues(Float64Array.from(matrix), headDim));
      yield (1 + (layer * heads + head + 1) / (layers * heads)) / 2;
    }
  }
  return scores;
}
