/**
 * The structs of consequences.h.
 * Each comes with the number of its doubles, and a reader that makes an object of its fields.
 *
 * Written by scripts/generate.js from the headers in src; npm run format renews it.
 */

/** attn_susceptibility_report */
export const susceptibilityReport = {
  doubles: 8,
  /** @param {Float64Array} x */
  read: (x) => ({
    rho: x[0],
    variance: x[1],
    slope: x[2],
    share: x[3],
    identity: { left: x[4], right: x[5], unit: x[6], allowed: x[7] },
  }),
};

/** attn_norms_report */
export const normsReport = {
  doubles: 8,
  /** @param {Float64Array} x */
  read: (x) => ({
    maxRatio: x[0],
    local: x[1],
    bound: x[2],
    allowedRatio: x[3],
    identity: { left: x[4], right: x[5], unit: x[6], allowed: x[7] },
  }),
};

/** attn_dispersion_report */
export const dispersionReport = {
  doubles: 12,
  /** @param {Float64Array} x */
  read: (x) => ({
    max: x[0],
    bound: x[1],
    meanBound: x[2],
    width: x[3],
    meanGap: x[4],
    halfWidth: x[5],
    kl: x[6],
    allowed: x[7],
    identity: { left: x[8], right: x[9], unit: x[10], allowed: x[11] },
  }),
};

/** attn_critical_report */
export const criticalReport = {
  doubles: 7,
  /** @param {Float64Array} x */
  read: (x) => ({
    critical: x[0],
    rank: x[1],
    gap: x[2],
    max: x[3],
    lower: x[4],
    upper: x[5],
    allowed: x[6],
  }),
};

/** attn_gate_report */
export const gateReport = {
  doubles: 8,
  /** @param {Float64Array} x */
  read: (x) => ({
    gate: x[0],
    sink: x[1],
    odds: x[2],
    lse: x[3],
    identity: { left: x[4], right: x[5], unit: x[6], allowed: x[7] },
  }),
};

/** attn_prior_report */
export const priorReport = {
  doubles: 12,
  /** @param {Float64Array} x */
  read: (x) => ({
    optimum: x[0],
    objective: x[1],
    kl: x[2],
    evidence: x[3],
    identity: { left: x[4], right: x[5], unit: x[6], allowed: x[7] },
    evidenceIdentity: { left: x[8], right: x[9], unit: x[10], allowed: x[11] },
  }),
};

/** attn_hopfield_report */
export const hopfieldReport = {
  doubles: 8,
  /** @param {Float64Array} x */
  read: (x) => ({
    drop: x[0],
    minDrop: x[1],
    moved: x[2],
    violated: x[3],
    identity: { left: x[4], right: x[5], unit: x[6], allowed: x[7] },
  }),
};

/** attn_draws_report */
export const drawsReport = {
  doubles: 8,
  /** @param {Float64Array} x */
  read: (x) => ({
    rho: x[0],
    expected: x[1],
    upper: x[2],
    draws: x[3],
    standardError: x[4],
    residual: x[5],
    residualError: x[6],
    falseAlarms: x[7],
  }),
};
