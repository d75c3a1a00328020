/**
 * The structs of theory.h and sensitivity.h.
 * Each comes with the number of its doubles, and a reader that makes an object of its fields.
 *
 * Written by scripts/generate.js from the headers in src; npm run format renews it.
 */

/** attn_identity */
export const identity = {
  doubles: 4,
  /** @param {Float64Array} x */
  read: (x) => ({ left: x[0], right: x[1], unit: x[2], allowed: x[3] }),
};

/** attn_likelihood_report */
export const likelihoodReport = {
  doubles: 8,
  /** @param {Float64Array} x */
  read: (x) => ({
    logPrecision: x[0],
    variance: x[1],
    secondDerivative: x[2],
    logLikelihood: x[3],
    identity: { left: x[4], right: x[5], unit: x[6], allowed: x[7] },
  }),
};

/** attn_maxent_report */
export const maxentReport = {
  doubles: 7,
  /** @param {Float64Array} x */
  read: (x) => ({
    multiplier: x[0],
    entropy: x[1],
    iterations: x[2],
    identity: { left: x[3], right: x[4], unit: x[5], allowed: x[6] },
  }),
};

/** attn_budget_report */
export const budgetReport = {
  doubles: 10,
  /** @param {Float64Array} x */
  read: (x) => ({
    beta: x[0],
    rhoMax: x[1],
    rho: x[2],
    expectedScore: x[3],
    variance: x[4],
    iterations: x[5],
    identity: { left: x[6], right: x[7], unit: x[8], allowed: x[9] },
  }),
};

/** attn_spent_report */
export const spentReport = {
  doubles: 9,
  /** @param {Float64Array} x */
  read: (x) => ({
    rho: x[0],
    entropy: x[1],
    effectiveKeys: x[2],
    expectedScore: x[3],
    lse: x[4],
    identity: { left: x[5], right: x[6], unit: x[7], allowed: x[8] },
  }),
};

/** attn_difference */
export const difference = {
  doubles: 5,
  /** @param {Float64Array} x */
  read: (x) => ({ max: x[0], frobenius: x[1], allowed: x[2], allowedFrobenius: x[3], ratio: x[4] }),
};

/** attn_gaussian_report */
export const gaussianReport = {
  doubles: 10,
  /** @param {Float64Array} x */
  read: (x) => ({
    weights: { max: x[0], frobenius: x[1], allowed: x[2], allowedFrobenius: x[3], ratio: x[4] },
    output: { max: x[5], frobenius: x[6], allowed: x[7], allowedFrobenius: x[8], ratio: x[9] },
  }),
};

/** attn_gibbs_report */
export const gibbsReport = {
  doubles: 10,
  /** @param {Float64Array} x */
  read: (x) => ({
    optimum: x[0],
    entropy: x[1],
    expectedScore: x[2],
    objective: x[3],
    candidateEntropy: x[4],
    kl: x[5],
    identity: { left: x[6], right: x[7], unit: x[8], allowed: x[9] },
  }),
};

/** attn_lse_report */
export const lseReport = {
  doubles: 6,
  /** @param {Float64Array} x */
  read: (x) => ({
    value: x[0],
    changed: x[1],
    identity: { left: x[2], right: x[3], unit: x[4], allowed: x[5] },
  }),
};

/** attn_lipschitz_report */
export const lipschitzReport = {
  doubles: 8,
  /** @param {Float64Array} x */
  read: (x) => ({
    maxRatio: x[0],
    sharpRatio: x[1],
    noteRatio: x[2],
    allowedRatio: x[3],
    minCocoercivity: x[4],
    sharpCocoercivity: x[5],
    noteCocoercivity: x[6],
    margin: x[7],
  }),
};

/** attn_limits_report */
export const limitsReport = {
  doubles: 8,
  /** @param {Float64Array} x */
  read: (x) => ({
    ties: x[0],
    gap: x[1],
    width: x[2],
    distance: x[3],
    distanceBound: x[4],
    kl: x[5],
    klBound: x[6],
    excess: x[7],
  }),
};

/** attn_norm */
export const norm = {
  doubles: 2,
  /** @param {Float64Array} x */
  read: (x) => ({ upper: x[0], lower: x[1] }),
};

/** attn_sharing_columns */
export const sharingColumns = {
  doubles: 11,
  /** @param {Float64Array} x */
  read: (x) => ({
    weights2: x[0],
    weights1: x[1],
    output: x[2],
    sharp: x[3],
    note: x[4],
    operator: x[5],
    range: x[6],
    outputRange: x[7],
    outputDiameter: x[8],
    outputNote1: x[9],
    outputNote2: x[10],
  }),
};

/** attn_bound */
export const bound = {
  doubles: 4,
  /** @param {Float64Array} x */
  read: (x) => ({ cap: x[0], vacuous: x[1], violated: x[2], slack: x[3] }),
};

/** attn_sharing_bounds */
export const sharingBounds = {
  doubles: 32,
  /** @param {Float64Array} x */
  read: (x) => ({
    sharp: { cap: x[0], vacuous: x[1], violated: x[2], slack: x[3] },
    note: { cap: x[4], vacuous: x[5], violated: x[6], slack: x[7] },
    operator: { cap: x[8], vacuous: x[9], violated: x[10], slack: x[11] },
    range: { cap: x[12], vacuous: x[13], violated: x[14], slack: x[15] },
    outputRange: { cap: x[16], vacuous: x[17], violated: x[18], slack: x[19] },
    outputDiameter: { cap: x[20], vacuous: x[21], violated: x[22], slack: x[23] },
    outputNote1: { cap: x[24], vacuous: x[25], violated: x[26], slack: x[27] },
    outputNote2: { cap: x[28], vacuous: x[29], violated: x[30], slack: x[31] },
  }),
};

/** attn_sharing_report */
export const sharingReport = {
  doubles: 5,
  /** @param {Float64Array} x */
  read: (x) => ({
    operatorNorm: { upper: x[0], lower: x[1] },
    diameter: x[2],
    longest: x[3],
    shift: x[4],
  }),
};

/** attn_spent_share */
export const spentShare = {
  doubles: 2,
  /** @param {Float64Array} x */
  read: (x) => ({ budget: x[0], gradient: x[1] }),
};

/** attn_scale_report */
export const scaleReport = {
  doubles: 7,
  /** @param {Float64Array} x */
  read: (x) => ({
    variance: x[0],
    standardError: x[1],
    scaledVariance: x[2],
    unscaled: { budget: x[3], gradient: x[4] },
    scaled: { budget: x[5], gradient: x[6] },
  }),
};
