/**
 * The statements, in order: the one list of their numbers, names, formulas and sources. `clearhead
 * check` reads it, and scripts/generate.js writes the tables of docs/statements.md and the page
 * from it. theory.h and consequences.h tell each in full.
 */

/**
 * @typedef {object} Statement
 * @property {number} number
 * @property {string} name
 * @property {string} formula an index is written _j, or _O,h
 * @property {string} source where it is proved or said; README has the three texts
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
    source: 'paper, Eq. 1',
    engine: '`attention`',
    page: 'one look, many heads',
  },
  {
    number: 2,
    name: 'maximum likelihood',
    formula: 'o = Σ θ_j v_j / Σ θ, where ∇ log L = 0',
    source: 'paper, Eq. 2 to 12',
    functions: ['maximumLikelihood'],
    page: 'one look',
  },
  {
    number: 3,
    name: 'maximum entropy',
    formula: 'p_j = exp(λ_j⟨q, k_j⟩) / Σ exp(λ⟨q, k⟩)',
    source: 'paper, Eq. 13 to 16',
    functions: ['maximumEntropy'],
    page: 'the check',
  },
  {
    number: 4,
    name: 'KL budget',
    formula: 'softmax(βz) = argmax ⟨p, z⟩ over KL(p‖u) ≤ ρ',
    source: 'post, “Softmax as hypothesis testing”',
    functions: ['klBudget', 'klFrontier'],
    page: 'one look',
  },
  {
    number: 5,
    name: 'budget of a head',
    formula: 'ρ = log n − H = ⟨z⟩/T − lse + log n',
    source: 'post, “Interpretation”',
    functions: ['rhoEffective'],
    page: 'the check',
  },
  {
    number: 6,
    name: 'kernel equivalence',
    formula: 'softmax(QKᵀ/(T√d)) = Gaussian rows, σ² = T√d',
    source: 'note, “Geometric fact”',
    functions: ['kernelEquivalence', 'gaussianWeights'],
    page: 'one look, distance',
  },
  {
    number: 7,
    name: 'Gibbs principle',
    formula: 'T·lse − (⟨p′, z⟩ + T·H(p′)) = T·KL(p′‖p)',
    source: 'note, Eq. 1',
    functions: ['gibbs', 'simplexMerge'],
    page: 'the check',
  },
  {
    number: 8,
    name: 'log-sum-exp',
    formula: '∇lse = p, ∇²lse = λ(Diag p − ppᵀ) ≤ λ/2',
    source: 'note, “Convex-analysis differential facts”',
    functions: ['logSumExp', 'softmaxJacobian', 'lipschitz'],
    page: 'the check',
  },
  {
    number: 9,
    name: 'limits',
    formula: 'T = 0 is the argmax, T = ∞ uniform, exactly',
    source: 'note, “Two useful limits”',
    functions: ['limits'],
    page: 'the check',
  },
  {
    number: 10,
    name: 'independent heads',
    formula: 'x + W_O·(o_1 … o_H) = x + Σ W_O,h·o_h',
    source: 'note, “Multi-Head Attention”',
    engine: '`multiHead` with `residual`',
    page: 'the check',
  },
  {
    number: 11,
    name: 'grouped queries',
    formula: 'query head h reads kv head ⌊h/(H/G)⌋',
    source: 'note, “Grouped-Query / Multi-Query Attention”',
    engine: '`attention` with `kvHeads`',
    page: 'many heads',
  },
  {
    number: 12,
    name: 'shared keys',
    formula: '‖Δp‖₂ ≤ (λ/2)‖δz − mean‖₂',
    source: 'note, section 5',
    functions: ['sharedKeyBounds', 'operatorNorm'],
    page: 'the check',
  },
  {
    number: 13,
    name: 'scale',
    formula: 'Var⟨q, k⟩ = d, so Var(⟨q, k⟩/√d) = 1',
    source: 'note, “Why the 1/√d scale?”',
    functions: ['scaleExperiment', 'normal'],
    page: 'the check',
  },
  {
    number: 14,
    name: 'latent keys',
    formula: '⟨q, W·c⟩ = ⟨Wᵀq, c⟩: expanded = absorbed',
    source: 'DeepSeek-V2, arXiv 2405.04434',
    engine: '`latent`',
    page: 'the check',
  },
  {
    number: 15,
    name: 'cost',
    formula: 'm·n·(d + dv) multiply-adds, memory O(n)',
    source: 'the kernels of this library',
    functions: ['cost'],
    page: 'the check',
  },
  {
    number: 16,
    name: 'advantage',
    formula: '∂⟨u⟩/∂z_j = p_j(u_j − ⟨u⟩)/T, and o = ⟨v⟩',
    source: 'the derivative of statement 1',
    engine: '`attentionGradient`',
    page: 'the check',
  },
  {
    number: 17,
    name: 'susceptibility',
    formula: 'dρ/dβ = β·Var_p(z), β = 1/T',
    source: 'the derivative of statement 5',
    functions: ['susceptibility'],
    page: 'the check',
  },
  {
    number: 18,
    name: 'every norm',
    formula: '‖Δp‖_r ≤ (λ/2)‖Δz‖_r for every r ≥ 1',
    source: 'Nair, arXiv 2510.23012',
    functions: ['everyNorm'],
    page: 'the check',
  },
  {
    number: 19,
    name: 'dispersion',
    formula: 'max p ≤ 1/(1 + (n − 1)·e^(−width/T))',
    source: 'Veličković and others, arXiv 2410.01104',
    functions: ['dispersion'],
    page: 'the check',
  },
  {
    number: 20,
    name: 'critical temperature',
    formula: '1/Σ j^(−T_c/T) ≤ max p, T_c = min gap_j/log j',
    source: 'Hayase and Karakida, arXiv 2605.12697',
    functions: ['criticalTemperature'],
    page: 'the check',
  },
  {
    number: 21,
    name: 'sink',
    formula: 'o with a sink s = σ(lse − s/T)·o without',
    source: 'statement 1 with a key of value 0',
    functions: ['sinkGate'],
    page: 'the check',
  },
  {
    number: 22,
    name: 'bias',
    formula: 'argmax ⟨p, z⟩ − T·KL(p‖π), π = softmax(b/T)',
    source: 'statement 7 with a prior π in place of u',
    functions: ['biasPrior'],
    page: 'the check',
  },
  {
    number: 23,
    name: 'Hopfield network',
    formula: 'E(ξ) − E(ξ′) = ½‖ξ − ξ′‖² + T·KL(p‖p′) ≥ 0',
    source: 'Ramsauer and others, arXiv 2008.02217',
    functions: ['hopfield'],
    page: 'the check',
  },
  {
    number: 24,
    name: 'draws',
    formula: 'draws until uniform is rejected ≈ log(1/ε)/ρ',
    source: 'post, footnote 1',
    functions: ['drawsToReject'],
    page: 'the check',
  },
];
