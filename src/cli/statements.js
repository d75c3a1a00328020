/**
 * The statements as `clearhead check` runs them: two sides of each, computed apart, and what rounding allows between them. Numbers, names
 * and formulas are those of theory.h. Each `run` returns its comparisons; one that is violated makes the statement so.
 */
import { ClearheadError } from '../js/index.js';
import { attentionParts, equivalenceParts, groupedParts } from './kernels.js';
import { U, apart, bounded, compare, exact, stated } from './lab.js';

/** @typedef {import('./lab.js').Lab} Lab @typedef {import('./lab.js').Part} Part @typedef {import('./lab.js').Element} Element */
/** @typedef {{ number: number, name: string, formula: string, run: (lab: Lab) => Part[], shows?: number }} Statement `shows`: the comparison that stands for it, if not the one nearest to its limit */

const dot = (/** @type {ArrayLike<number>} */ a, /** @type {ArrayLike<number>} */ b) => Array.from(a).reduce((sum, x, j) => sum + x * b[j], 0);
const norm = (/** @type {Float64Array} */ a) => Math.sqrt(dot(a, a));

/** ‖Ax‖/‖x‖ after 100 steps of power iteration from x. @param {Float64Array} a (rows, x.length) @param {Float64Array} x */
function stretch(a, x) {
  const d = x.length, times = (/** @type {Float64Array} */ y) => Float64Array.from({ length: a.length / d }, (_, j) => dot(a.subarray(j * d, j * d + d), y));
  for (let step = 0; step < 100; step++) {
    const y = times(x), z = x.map((_, c) => y.reduce((sum, w, j) => sum + w * a[j * d + c], 0)), length = norm(z);
    x = z.map((w) => w / length);
  }
  return norm(times(x)) / norm(x);
}

/** The elements of two arrays. @param {Float64Array} a @param {Float64Array} b @param {(j: number) => number} size @param {number} units @returns {Element[]} */
const elements = (a, b, size, units) => Array.from(a, (x, j) => [Math.abs(x - b[j]), U * size(j), units]);

/** What a statement is shown by: what is violated, else the comparison that comes nearest to what rounding allows. @param {Part} part */
const severity = ({ verdict, kind, ratio }) => (verdict === 'violated' ? Infinity : kind === 'identity' ? 2 + ratio : verdict === 'bound' ? ratio : -1);

/** Runs them all. One that the library refuses to compute is violated too. @param {Lab} lab */
export function examine(lab) {
  return STATEMENTS.map(({ number, name, formula, run, shows }) => {
    let parts;
    try {
      parts = run(lab);
    } catch (error) {
      if (!(error instanceof ClearheadError)) throw error;
      parts = [exact(error.message, false)];
    }
    const nearest = parts.reduce((a, b) => (severity(b) > severity(a) ? b : a)), holds = nearest.verdict !== 'violated';
    return { number, name, formula, holds, worst: holds && shows !== undefined ? parts[shows] : nearest, parts };
  });
}

/** @type {Statement[]} */
const STATEMENTS = [
  { number: 1, name: 'attention', formula: 'o = Σ p_j v_j, p = softmax(z/T)', run: attentionParts },
  {
    number: 2,
    name: 'maximum likelihood',
    formula: 'o = Σ θ_j v_j / Σ θ, where ∇ log L = 0',
    run({ theory, k, v, d, dv, T, make, rows }) {
      const alpha = 1 / (T * Math.sqrt(d)), beta = 3, at = make(dv);
      const found = rows.map(({ q, output }) => ({ here: theory.maximumLikelihood(q, k, v, { alpha, beta, at: output }), there: theory.maximumLikelihood(q, k, v, { alpha, beta, at }) }));
      const each = (/** @type {(x: typeof found[0], row: typeof rows[0]) => Element[]} */ f) => rows.flatMap((row, i) => f(found[i], row));
      return [
        compare('attention = precision-weighted mean', each(({ here }, { output, magnitude, size }) => elements(here.estimate, output, (c) => magnitude[c], apart(size)))),
        compare('gradient at the output = 0', each(({ here }, { magnitude, size }) => elements(here.step, new Float64Array(dv), (c) => magnitude[c], apart(size)))),
        compare('one Newton step from anywhere = attention', each(({ there }, { output, magnitude, size }) =>
          elements(there.step.map((x, c) => at[c] + x), output, (c) => magnitude[c] + Math.abs(at[c]), apart(size)))),
        compare('gradient = step / variance', each(({ there }) => elements(there.gradient.map((x) => x * there.variance), there.step, (c) => Math.abs(there.step[c]), 16 + 8 * Math.abs(there.logPrecision)))),
        // both logarithms of sums of e^z, whose exponents are known to A units
        compare('log-precision = lse + log β', each(({ here }, { lse, size }) => [[Math.abs(here.logPrecision - lse - Math.log(beta)), U, apart(size) + 8 * Math.abs(lse)]])),
        stated('Σ p‖at − v‖² = Σ p‖o − v‖² + ‖at − o‖²', ...found.map(({ there }) => there.identity)),
      ];
    },
  },
  {
    number: 3,
    name: 'maximum entropy',
    formula: 'p_j = exp(λ_j⟨q, k_j⟩) / Σ exp(λ⟨q, k⟩)',
    run({ ch, theory, k, v, d, dv, T, make, rows }) {
      const lambda = make(k.length / d).map((x) => (1 + 0.2 * x) / (T * Math.sqrt(d)));
      const scaled = rows.map(({ q }) => ({ ours: theory.maximumEntropy(q, k, { multipliers: lambda }).weights, theirs: ch.attention(q, k, v, { headDim: d, valueDim: dv, scale: 1, keyScale: lambda, want: { weights: true } }).weights }));
      const solved = rows.map(({ q, p }) => {
        const { features } = theory.maximumEntropy(q, k, { multipliers: 1 });
        const target = dot(p, features);
        return { ...theory.maximumEntropy(q, k, { target }), target };
      });
      return [
        compare('attention with keyScale = multipliers', rows.flatMap(({ size }, i) => elements(scaled[i].ours, /** @type {Float64Array} */ (scaled[i].theirs), (j) => scaled[i].ours[j], apart(2 * size)))),
        // ⟨f⟩ moves by Var_p(f) for each unit of λ
        compare('multiplier that meets attention’s ⟨f⟩ = 1/(T√d)', rows.map(({ p, size }, i) => {
          const { features, target, multiplier, identity } = solved[i], variance = dot(p, features.map((f) => (f - target) ** 2)), alpha = 1 / (T * Math.sqrt(d));
          return [Math.abs(multiplier - alpha), U * alpha, (identity.allowed / U + apart(size) * dot(p, features.map(Math.abs))) / (variance * alpha)];
        })),
        stated('⟨f⟩ of the solution = target', ...solved.map(({ identity }) => identity)),
      ];
    },
  },
  {
    number: 4,
    name: 'KL budget',
    formula: 'argmax ⟨p, z⟩ for KL(p‖u) ≤ ρ = softmax(βz)',
    run({ theory, n, T, rows }) {
      const solved = rows.map(({ z, kl }) => theory.klBudget(z, kl)), { rho, beta, expectedScore } = theory.klFrontier(rows[0].z, { points: 33 });
      // a chord of the concave frontier lies between the tangents at its ends, whose slopes are 1/β
      const chords = Array.from({ length: 31 }, (_, x) => [(expectedScore[x + 2] - expectedScore[x + 1]) / (rho[x + 2] - rho[x + 1]), 1 / beta[x + 1], 1 / beta[x + 2]]);
      return [
        // ρ is known to as many units as the weights it is made of, times 1 + log n, and β moves by 1/(β Var z) for each of its units
        compare('β of the budget that attention spends = 1/T', rows.map(({ size }, i) => {
          const { beta, variance } = solved[i];
          return [Math.abs(beta - 1 / T), U / T, (apart(size) * (1 + Math.log(n))) / (variance * beta ** 2)];
        })),
        compare('attention = the weights that the budget buys', rows.flatMap(({ p, size }, i) => elements(solved[i].weights, p, (j) => p[j], apart(size) + (apart(size) * (1 + Math.log(n)) * 2 * size) / (solved[i].variance * solved[i].beta ** 2)))),
        stated('⟨p, z⟩ − ρ/β = (lse(βz) − log n)/β', ...solved.map(({ identity }) => identity)),
        bounded('slope of the frontier ≤ 1/β at its start', Math.max(...chords.map(([chord, most]) => chord / most)), 1, { rounding: 1e-12 }),
        bounded('1/β at its end ≤ slope of the frontier', Math.max(...chords.map(([chord, , least]) => least / chord)), 1, { rounding: 1e-12 }),
      ];
    },
  },
  {
    number: 5,
    name: 'budget of a head',
    formula: 'ρ = log n − H = ⟨z⟩/T − lse + log n',
    run({ theory, n, T, rows }) {
      const spent = rows.map(({ z }) => theory.rhoEffective(z, { temperature: T })), log = Math.log(n);
      // the kernel's sums and ours: each form is made of terms of log n, of |z|/T where they are not relative to the largest
      const kernel = (/** @type {string} */ sides, /** @type {(row: typeof rows[0]) => number} */ f) => compare(sides, rows.map((row, i) => [Math.abs(f(row) - spent[i].rho), U, apart(row.size) * (1 + log)]));
      return [
        stated('log n − H = ⟨z⟩/T − lse + log n', ...spent.map(({ identity }) => identity)),
        kernel('fused kl = ρ', ({ kl }) => kl),
        kernel('log n − fused entropy = ρ', ({ entropy }) => log - entropy),
        kernel('fused ⟨z⟩/T − lse + log n = ρ', ({ expectedScore, lse }) => expectedScore / T - lse + log),
      ];
    },
  },
  { number: 6, name: 'kernel equivalence', formula: 'softmax(QKᵀ/(T√d)) = Gaussian rows, σ² = T√d', run: equivalenceParts },
  {
    number: 7,
    name: 'Gibbs principle',
    formula: 'T·lse − (⟨p′, z⟩ + T·H(p′)) = T·KL(p′‖p)',
    run({ theory, n, T, make, rows }) {
      const candidates = rows.map(() => make(n).map((x) => x * x)), measured = rows.map(({ z }, i) => theory.gibbs(z, { temperature: T, candidate: candidates[i] }));
      const merged = rows.map(({ z }, i) => theory.simplexMerge(z, { temperature: T, keep: [i % n, (i + 7) % n] }));
      return [
        stated('shortfall of any p′ = T·KL(p′‖p)', ...measured.map(({ identity }) => identity)),
        compare('optimum = T·lse of attention', rows.map(({ lse, size }, i) => [Math.abs(measured[i].optimum - T * lse), U * T, apart(size) + 8 * Math.abs(lse)])),
        compare('objective at attention’s weights = T·lse', rows.map(({ z, p, lse, size }) => [Math.abs(theory.gibbs(z, { temperature: T, candidate: p }).objective - T * lse), U * T, apart(size) * (1 + Math.log(n))])),
        stated('optimum of two keys and the rest = of all', ...merged.map(({ identity }) => identity)),
        compare('weights of two keys and the rest = attention', rows.flatMap(({ p, size }, i) =>
          elements(merged[i].weights, Float64Array.of(p[i % n], p[(i + 7) % n], p.reduce((sum, x, j) => (j === i % n || j === (i + 7) % n ? sum : sum + x), 0)), (j) => merged[i].weights[j], apart(size) + n))),
      ];
    },
  },
  {
    number: 8,
    name: 'log-sum-exp',
    formula: '∇lse = p, ∇²lse = λ(Diag p − ppᵀ) ≤ λ/2',
    run({ theory, n, T, make, rows }) {
      const h = make(n), x = make(n), risen = rows.map(({ z }) => theory.logSumExp(z, { temperature: T, change: h }));
      const jacobians = rows.map(({ z }) => theory.softmaxJacobian(z, { temperature: T })), spectra = jacobians.map((J) => J.spectrum().eigenvalues);
      const size = Math.max(...x.map(Math.abs)) / T, hessian = (/** @type {Float64Array} */ p) => p.map((y, i) => p.reduce((sum, w, j) => sum + ((i === j ? y : 0) - y * w) * x[j], 0) / T);
      // pairs of logits: rows against each other, and two equal keys pushed apart, which comes nearest to λ/2
      const from = Float64Array.from([...rows[0].z, ...rows[1].z, 0, 0, ...new Float64Array(n - 2).fill(-1e3 * T)]), to = Float64Array.from([...rows[1].z, ...rows[2].z, T / 100, -T / 100, ...new Float64Array(n - 2).fill(-1e3 * T)]);
      const pairs = theory.lipschitz(from, to, { keys: n, temperature: T });
      return [
        compare('gradient of lse = attention’s weights', rows.flatMap(({ p, size }, i) => elements(risen[i].gradient, p, (j) => p[j], apart(size)))),
        compare('lse = attention’s lse', rows.map(({ lse, size }, i) => [Math.abs(risen[i].value - T * lse), U * T, apart(size) + 8 * Math.abs(lse)])),
        stated('rise of lse above its tangent = T·KL', ...risen.map(({ identity }) => identity)),
        compare('Hessian × vector = the matrix written out', rows.flatMap(({ p, size: z }, i) => elements(jacobians[i].apply(x), hessian(p), () => size, apart(z) + n))),
        compare('Σ eigenvalues = λ(1 − Σp²)', rows.map(({ p, size }, i) => [Math.abs(spectra[i].reduce((a, b) => a + b) - (1 - dot(p, p)) / T), U / T, 64 + apart(size)])),
        compare('Σ eigenvalues² = ‖Hessian‖²', rows.map(({ p, size }, i) => {
          const squares = dot(p, p), cubes = dot(p, p.map((y) => y * y));
          return [Math.abs(dot(spectra[i], spectra[i]) - (squares - 2 * cubes + squares ** 2) / T ** 2), U / T ** 2, 64 + 4 * apart(size)];
        })),
        bounded('largest ‖Δp‖/‖Δz‖ ≤ λ/2', pairs.maxRatio, 0.5 / T, { rounding: pairs.bounds.allowed }),
        bounded('2/λ ≤ least cocoercivity', 2 * T, pairs.minCocoercivity, { rounding: pairs.bounds.allowed * 8 * T ** 2 }),
        compare('bounds = λ/2 and 2/λ', [[Math.abs(pairs.bounds.sharp - 0.5 / T), U / T, 2], [Math.abs(pairs.cocoercivityBounds.sharp - 2 * T), U * T, 2]]),
        compare('top eigenvalue of two equal keys = λ/2', [[Math.abs(theory.softmaxJacobian(Float64Array.of(1, 1), { temperature: T }).top() - 0.5 / T), U / T, 2]]),
      ];
    },
  },
  {
    number: 9,
    name: 'limits',
    formula: 'T = 0 is the argmax, T = ∞ uniform, exactly',
    run({ ch, theory, k, v, d, dv, T, rows }) {
      const at = (/** @type {Float64Array} */ q, /** @type {number} */ temperature) => /** @type {Float64Array} */ (ch.attention(q, k, v, { headDim: d, valueDim: dv, temperature, want: { weights: true } }).weights);
      const same = (/** @type {Float64Array} */ a, /** @type {Float64Array} */ b) => a.every((x, j) => Object.is(x, b[j]));
      const found = rows.map(({ z }) => theory.limits(z, { temperature: T })), worst = (/** @type {(x: typeof found[0]) => number} */ f) => Math.max(...found.map(f));
      return [
        exact('attention at T = 0 = the largest alone, bit for bit', rows.every(({ q }, i) => same(at(q, 0), found[i].hard))),
        exact('attention at T = ∞ = 1/n, bit for bit', rows.every(({ q }, i) => same(at(q, Infinity), found[i].uniform))),
        exact('ties share: (1, 1, 0) gives (½, ½, 0)', same(theory.limits(Float64Array.of(1, 1, 0)).hard, Float64Array.of(0.5, 0.5, 0))),
        bounded('‖p − argmax‖₁ ≤ 2(n/ties − 1)·e^(−gap/T)', worst(({ toHard }) => toHard.distance / toHard.bound), 1, { rounding: 64 * U }),
        bounded('KL(p‖u) ≤ (width/T)²/8', worst(({ toUniform }) => toUniform.kl / toUniform.bound), 1, { rounding: 64 * U }),
      ];
    },
  },
  { number: 11, name: 'grouped queries', formula: 'query head h reads kv head ⌊h/(H/G)⌋', run: groupedParts },
  {
    number: 12,
    name: 'shared keys',
    formula: '‖Δp‖₂ ≤ (λ/2)‖δz − mean‖₂',
    shows: 0,
    run(lab) {
      const { ch, theory, q, k, v, n, d, dv, T, make, rows } = lab, noise = make(k.length), sharedK = k.map((x, i) => x + 0.1 * noise[i]);
      const { measured, bounds, holds, operatorNorm } = theory.sharedKeyBounds(q, k, sharedK, v, { headDim: d, temperature: T });
      const shared = /** @type {Required<import('../js/types.d.ts').AttentionResult<Float64Array>>} */ (ch.attention(q, sharedK, v, { headDim: d, valueDim: dv, temperature: T, want: { weights: true } }));
      // the query that comes nearest to its bound
      const parts = Object.entries(BOUNDS).map(([name, sides]) => {
        const bound = bounds[/** @type {keyof typeof bounds} */ (name)], side = name.startsWith('output') ? 'output' : name === 'range' ? 'weights1' : 'weights2';
        const i = bound.values.reduce((best, x, at) => (measured[side][at] / x > measured[side][best] / bound.values[best] ? at : best), 0);
        return bounded(sides, measured[side][i], bound.values[i], { rounding: 1e3 * U * bound.cap, cap: bound.cap });
      });
      return [
        ...parts,
        compare('‖Δp‖₂ = between two attentions', rows.map(({ p, size }, i) => [Math.abs(norm(shared.weights.subarray(i * n, i * n + n).map((x, j) => x - p[j])) - measured.weights2[i]), U, 2 * apart(size)])),
        // any vector is stretched by less, and a few steps of power iteration nearly find the one that is not
        bounded('‖ΔK·x‖/‖x‖ ≤ ‖ΔK‖_op', stretch(sharedK.map((x, i) => x - k[i]), make(d)), operatorNorm.upper, { rounding: 1e3 * U * operatorNorm.upper }),
        bounded('‖ΔK‖_op ≤ ‖ΔK‖_F', operatorNorm.lower, norm(sharedK.map((x, i) => x - k[i]))),
        exact('no bound is violated for any query', holds),
      ];
    },
  },
  {
    number: 13,
    name: 'scale',
    formula: 'Var⟨q, k⟩ = d, so Var(⟨q, k⟩/√d) = 1',
    run({ theory, seed }) {
      const runs = [4, 64, 256].map((headDim) => theory.scaleExperiment({ headDim, samples: 400, keys: 16, seed: (seed + headDim) >>> 0 }));
      return [
        // five standard errors: a seed in two million falls outside
        compare('variance of ⟨q, k⟩ = d', runs.map(({ variance, expected, standardError }) => [Math.abs(variance - expected), standardError, 5]), 'σ'),
        compare('variance of ⟨q, k⟩/√d = 1', runs.map(({ scaledVariance, expected, standardError }) => [Math.abs(scaledVariance - 1), standardError / expected, 5]), 'σ'),
      ];
    },
  },
];

/** The bounds of statement 12, sharpest first on each quantity. */
const BOUNDS = {
  sharp: '‖Δp‖₂ ≤ (λ/2)‖δz − mean‖₂',
  note: '‖Δp‖₂ ≤ λ‖δz‖₂',
  operator: '‖Δp‖₂ ≤ ‖ΔK‖_op‖q‖₂/(T√d)',
  range: '‖Δp‖₁ ≤ (λ/2)(max δz − min δz)',
  outputDiameter: '‖Δo‖₂ ≤ ½‖Δp‖₁·diam V',
  outputNote1: '‖Δo‖₂ ≤ ‖Δp‖₁·max‖v‖',
  outputNote2: '‖Δo‖₂ ≤ √n‖Δp‖₂·max‖v‖',
  outputRange: '‖Δo‖₂ ≤ (λ/4)(max δz − min δz)·diam V',
};
