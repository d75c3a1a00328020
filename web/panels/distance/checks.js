/** The statements about distances: the identity, its assumption, and its loss without a shift. */
import { attentionRow, bareRow, gaussianRow } from '../../math/oracle.js';
import { Statement } from '../../page/statement.js';
import { scientific, short } from '../../plot/format.js';
import { FLAT, N, STEEP } from './compute.js';

/** @typedef {ReturnType<typeof import('./worker.js').sides>} Sides */

const PRECISIONS = /** @type {const} */ (['float64', 'float32']);

export class Checks {
  constructor() {
    this.identity = PRECISIONS.map(
      (precision) =>
        new Statement({
          id: `C1-${precision}`,
          claim: `softmax weights are Gaussian weights, ${precision}`,
          allowance:
            `Allowed per weight: u·(${FLAT} + ${STEEP}B)·W with B = (‖q‖ + max‖k‖)²/4T, which ` +
            `is 1/T for unit rows; per output u·(${FLAT} + ${STEEP}B)·Σ W|v|. ` +
            'u is 2⁻⁵³ or 2⁻²⁴; B is how large a logit can be, in units of √d. ' +
            'The two constants are derived in theory.h, for rounding errors of either sign in ' +
            'the sums over channels; a worst case would be √d larger.',
          oracles: [attentionRow, gaussianRow],
        }),
    );
    this.settings = new Statement({
      id: 'C18',
      claim: '',
      allowance:
        'Each of the six settings with the assumption must stay within the allowance of C1. ' +
        'Each of the other two has to differ by more.',
      oracles: [gaussianRow],
    });
    this.lost = new Statement({
      id: 'C1-shift',
      claim: 'without a shift of the exponents, only rows far from every key are lost',
      allowance:
        'Counted: rows that are NaN, and rows whose largest exponential is 0, or infinite, in ' +
        'float32. Allowed: no difference between the two counts.',
      oracles: [bareRow],
    });
    this.all = [...this.identity, this.settings, this.lost];
  }

  /**
   * @param {Sides} found @param {boolean} assumed
   * @param {ReturnType<import('./tables.js').TruthTable['show']>} truth of the eight settings
   */
  show(found, assumed, truth) {
    PRECISIONS.forEach((precision, at) =>
      this.identity[at].show(finding(found[precision], precision, assumed)),
    );
    this.settings.show(ofSettings(truth));
    const { nan, predicted } = found.float32.bare;
    this.lost.show({
      measured: Math.abs(nan - predicted),
      allowed: 0,
      text: `${nan} of ${N} rows are NaN in float32, ${predicted} expected`,
      data: { nan, predicted },
    });
  }
}

/**
 * @param {ReturnType<import('./tables.js').TruthTable['show']>} truth
 * @returns {import('../../page/statement.js').Finding}
 */
function ofSettings({ ratio, measured, allowed, holding, apart, differing }) {
  return {
    claim: 'the identity needs equal key norms, or the factor that restores them, and nothing else',
    measured,
    allowed,
    ratio: holding === 6 && differing === 2 ? ratio : Infinity,
    text:
      `${holding === 6 ? 'all 6' : `only ${holding} of 6`} settings with it hold; ` +
      (differing === 2
        ? `the 2 without it differ by up to ${short(apart, 2)}`
        : `only ${differing} of the 2 without it ${differing === 1 ? 'differs' : 'differ'}`),
    data: { holding, differing },
  };
}

/**
 * The finding of one precision. The worse of weights and outputs decides, and the
 * engine's own comparison has to come to the same verdict. Without the assumption the two have to
 * differ.
 * @param {Sides['float64' | 'float32']} found @param {string} precision @param {boolean} assumed
 * @returns {import('../../page/statement.js').Finding}
 */
function finding(found, precision, assumed) {
  const { weights, outputs, engineSays } = found;
  const worse = outputs.ratio > weights.ratio ? outputs : weights;
  const common = {
    data: {
      sigma2: found.sigma2,
      max: weights.max,
      frobenius: weights.frobenius,
      'output-max': outputs.max,
      'output-frobenius': outputs.frobenius,
      'softmax-oracle': found.softmaxOff,
      'gaussian-oracle': found.gaussianOff,
    },
    detail:
      'Each side against its own independent code below, largest difference of a weight: ' +
      `softmax ${scientific(found.softmaxOff)}, Gaussian ${scientific(found.gaussianOff)}.`,
  };
  if (assumed)
    return {
      ...common,
      measured: worse.measured,
      allowed: worse.allowed,
      ratio: engineSays.holds === found.holds ? Math.max(weights.ratio, outputs.ratio) : Infinity,
      text:
        `largest difference of a weight ${scientific(weights.max)}; the one nearest to its ` +
        `limit uses ${short(100 * Math.max(weights.ratio, outputs.ratio), 2)} % of it`,
    };
  const differ = weights.ratio > 1;
  return {
    ...common,
    broken: true,
    measured: weights.measured,
    allowed: weights.allowed,
    ratio: weights.ratio,
    claim: differ
      ? `keys of unequal norm, ${precision}: the two differ by up to ${short(weights.max, 2)}, ` +
        'as they should'
      : `keys of unequal norm, ${precision}: the two should differ, and they do not`,
    text: 'give the keys one length, or restore their lengths, and it holds',
  };
}
