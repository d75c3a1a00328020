/**
 * The statements, in order: the one list of their numbers, names and formulas. `clearhead check`
 * reads it, and scripts/generate.js writes the tables of docs/statements.md and the page from it.
 * theory.h tells each in full.
 */

/**
 * @typedef {object} Statement
 * @property {number} number
 * @property {string} name
 * @property {string} formula an index is written _j, or _O,h
 * @property {readonly string[]} [functions] of `await ch.theory`
 * @property {string} [engine] in Markdown, the function of the engine that does it
 * @property {string} page where the page shows it
 */

/** @type {readonly Statement[]} */
export const STATEMENTS = [
  {
    number: 1,
    name: 'attention',
    formula: 'o = Σ p_j v_j, p = softmax(z/T)',
    engine: '`attention`',
    page: 'top, 1',
  },
  {
    number: 2,
    name: 'maximum likelihood',
    formula: 'o = Σ θ_j v_j / Σ θ, where ∇ log L = 0',
    functions: ['maximumLikelihood'],
    page: 'top',
  },
  {
    number: 3,
    name: 'maximum entropy',
    formula: 'p_j = exp(λ_j⟨q, k_j⟩) / Σ exp(λ⟨q, k⟩)',
    functions: ['maximumEntropy'],
    page: 'the check',
  },
  {
    number: 4,
    name: 'KL budget',
    formula: 'softmax(βz) = argmax ⟨p, z⟩ over KL(p‖u) ≤ ρ',
    functions: ['klBudget', 'klFrontier'],
    page: 'top',
  },
  {
    number: 5,
    name: 'budget of a head',
    formula: 'ρ = log n − H = ⟨z⟩/T − lse + log n',
    functions: ['rhoEffective'],
    page: 'the check',
  },
  {
    number: 6,
    name: 'kernel equivalence',
    formula: 'softmax(QKᵀ/(T√d)) = Gaussian rows, σ² = T√d',
    functions: ['kernelEquivalence', 'gaussianWeights'],
    page: 'top, 2',
  },
  {
    number: 7,
    name: 'Gibbs principle',
    formula: 'T·lse − (⟨p′, z⟩ + T·H(p′)) = T·KL(p′‖p)',
    functions: ['gibbs', 'simplexMerge'],
    page: 'the check',
  },
  {
    number: 8,
    name: 'log-sum-exp',
    formula: '∇lse = p, ∇²lse = λ(Diag p − ppᵀ) ≤ λ/2',
    functions: ['logSumExp', 'softmaxJacobian', 'lipschitz'],
    page: 'the check',
  },
  {
    number: 9,
    name: 'limits',
    formula: 'T = 0 is the argmax, T = ∞ uniform, exactly',
    functions: ['limits'],
    page: 'the check',
  },
  {
    number: 10,
    name: 'independent heads',
    formula: 'x + W_O·(o_1 … o_H) = x + Σ W_O,h·o_h',
    engine: '`multiHead` with `residual`',
    page: 'the check',
  },
  {
    number: 11,
    name: 'grouped queries',
    formula: 'query head h reads kv head ⌊h/(H/G)⌋',
    engine: '`attention` with `kvHeads`',
    page: '1',
  },
  {
    number: 12,
    name: 'shared keys',
    formula: '‖Δp‖₂ ≤ (λ/2)‖δz − mean‖₂',
    functions: ['sharedKeyBounds', 'operatorNorm'],
    page: 'the check',
  },
  {
    number: 13,
    name: 'scale',
    formula: 'Var⟨q, k⟩ = d, so Var(⟨q, k⟩/√d) = 1',
    functions: ['scaleExperiment', 'normal'],
    page: 'the check',
  },
  {
    number: 14,
    name: 'latent keys',
    formula: '⟨q, W·c⟩ = ⟨Wᵀq, c⟩: expanded = absorbed',
    engine: '`latent`',
    page: 'the check',
  },
  {
    number: 15,
    name: 'cost',
    formula: 'm·n·(d + dv) multiply-adds, memory O(n)',
    functions: ['cost'],
    page: 'the check',
  },
];
