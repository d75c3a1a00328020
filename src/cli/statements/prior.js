/** Statements 21 and 22. */
import { U, apart, compare, dot, elements, stated } from '../lab.js';

/**
 * @typedef {import('../statements.js').Comparison} Comparison
 * @typedef {import('../lab.js').Element} Element
 */
/** @typedef {import('../../js/types.d.ts').AttentionResult<Float64Array>} Result */

/** @type {Comparison} */
export const sink = {
  number: 21,
  run({ ch, theory, q, k, v, n, d, dv, T, rows }) {
    // a sink below all keys, among them and above them
    const tried = [-2, 1, 6].map((s) => ({
      s,
      found: rows.map(({ z }) => theory.sinkGate(z, { temperature: T, sink: s })),
      with: /** @type {Required<Result>} */ (
        ch.attention(q, k, v, {
          headDim: d,
          valueDim: dv,
          temperature: T,
          sinks: Float64Array.of(s),
          want: { weights: true },
        })
      ),
    }));
    const each = (/** @type {(x: typeof tried[0], i: number, units: number) => Element[]} */ f) =>
      tried.flatMap((x) => rows.flatMap(({ size }, i) => f(x, i, apart(size + Math.abs(x.s) / T))));
    return [
      compare(
        'attention with a sink = gate × attention without',
        each((x, i, units) =>
          elements(
            x.with.output.subarray(i * dv, i * dv + dv),
            rows[i].output.map((/** @type {number} */ y) => x.found[i].gate * y),
            (c) => x.found[i].gate * rows[i].magnitude[c],
            2 * units,
          ),
        ),
      ),
      compare(
        'weights with a sink = attention’s',
        each((x, i, units) =>
          elements(
            x.with.weights.subarray(i * n, i * n + n),
            x.found[i].weights,
            (j) => x.found[i].weights[j],
            2 * units,
          ),
        ),
      ),
      compare(
        'log-odds of the gate = attention’s lse − s/T',
        each((x, i, units) => [
          [
            Math.log(x.found[i].gate / x.found[i].sink),
            rows[i].lse - x.s / T,
            U,
            2 * units + 16 * Math.abs(rows[i].lse),
          ],
        ]),
      ),
      stated('Σ weights = gate', ...tried.flatMap(({ found }) => found.map((x) => x.identity))),
    ];
  },
};

/** @type {Comparison} */
export const prior = {
  number: 22,
  run({ ch, theory, q, k, v, m, n, d, dv, T, make, rows }) {
    const bias = make(n);
    const options = { headDim: d, valueDim: dv, temperature: T };
    const weightsOf = (/** @type {Float64Array} */ queries) =>
      /** @type {Required<Result>} */ (
        ch.attention(queries, k, v, {
          ...options,
          mask: { data: bias, shape: [n] },
          want: { weights: true },
        })
      ).weights;
    const biased = weightsOf(q);
    // the row of the biases alone
    const bare = weightsOf(new Float64Array(m * d)).subarray(0, n);
    const found = rows.map(({ z }, i) =>
      theory.biasPrior(z, { temperature: T, bias, candidate: rows[(i + 1) % m].p }),
    );
    const largest = Math.max(...bias.map(Math.abs)) / T;
    const none = rows.map(({ z }) =>
      theory.biasPrior(z, { temperature: T, bias: new Float64Array(n) }),
    );
    return [
      stated('optimum − objective = T·KL(p′‖p)', ...found.map(({ identity }) => identity)),
      stated(
        'evidence = ⟨z⟩/T − log Σ π_j exp(z_j/T)',
        ...found.map(({ evidenceIdentity }) => evidenceIdentity),
      ),
      compare(
        'weights = attention’s with the bias as a mask',
        rows.flatMap(({ size }, i) =>
          elements(
            biased.subarray(i * n, i * n + n),
            found[i].weights,
            (j) => found[i].weights[j],
            apart(size + largest) + n,
          ),
        ),
      ),
      compare(
        'prior = attention’s weights for a query of zeros',
        found.flatMap((x) => elements(bare, x.prior, (j) => x.prior[j], apart(largest) + n)),
      ),
      compare(
        'evidence = KL between attention’s rows with and without content',
        rows.map(({ size }, i) => {
          const p = biased.subarray(i * n, i * n + n);
          const kl = dot(
            p,
            p.map((x, j) => Math.log(x / bare[j])),
          );
          const terms = p.reduce((sum, x, j) => sum + x * Math.abs(Math.log(x / bare[j])), 0);
          return [found[i].evidence, kl, U * (1 + terms), 2 * apart(size + largest) + n];
        }),
      ),
      compare(
        'evidence without a bias = attention’s ρ',
        rows.map(({ kl, size }, i) => [
          none[i].evidence,
          kl,
          U * (1 + Math.log(n)),
          2 * apart(size) + n,
        ]),
      ),
    ];
  },
};
