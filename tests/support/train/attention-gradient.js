/**
 * The gradient of attention in float64, as a textbook writes it: all scores, weights and their
 * gradients in memory, plain loops. It shares no code with the kernels. Beside each number it
 * returns how large its error may be in units of ε (`limits`, see limits.js of this folder).
 */
import { bias, softmax, sumOf } from '../attention/reference-row.js';

/** The terms of a sum, as many as the longest had. */
let terms = new Float64Array(64);

/** The sum of n terms. */
function sum(n, term) {
  if (n > terms.length) terms = new Float64Array(n);
  for (let j = 0; j < n; j++) terms[j] = term(j);
  return sumOf(terms, n);
}

/** The place of (b, h, i, j) in a mask whose axes of 1 repeat. */
function placeInMask(shape, place) {
  return shape.reduce(
    (at, size, a) => at * size + (size === 1 ? 0 : place.slice(-shape.length)[a]),
    0,
  );
}

/** Arrays of a value, of its limit and of the sizes of its terms, that are added to together. */
function pair(size) {
  const value = new Float64Array(size);
  const limit = new Float64Array(size);
  const gross = new Float64Array(size);
  const add = (at, x, error) => {
    value[at] += x;
    limit[at] += error;
    gross[at] += Math.abs(x);
  };
  return { value, limit, gross, add };
}

/**
 * Arguments as attentionGradient takes them. `rule` { epsilon, own, steep, tiny } is the error of a
 * weight: relative own + steep·A in units of epsilon, and below tiny it may be 0.
 */
export function attentionGradient(q, k, v, dOutput, options, rule) {
  const { batch = 1, heads = 1, kvHeads = heads, headDim: d, valueDim: dv = d } = options;
  const m = q.length / (batch * heads * d);
  const n = k.length / (batch * kvHeads * d);
  const { scale = 1 / Math.sqrt(d), temperature: T = 1, softcap = 0, layout } = options;
  const { keyScale, sinks, mask } = options;
  const place = (b, h, i, count, positions) =>
    layout === 'bshd' ? (b * positions + i) * count + h : (b * count + h) * positions + i;
  const g = {
    dq: pair(q.length),
    dk: pair(k.length),
    dv: pair(v.length),
    dKeyScale: pair(n),
    dSinks: pair(heads),
    dBias: pair(mask ? mask.data.length : 0),
    dScale: pair(1),
    dTemperature: pair(1),
    A: 0, // the largest of all rows
  };

  /** The error of a number after it was multiplied, and rounded among the smallest perhaps. */
  const rounded = (factor, error) => Math.abs(factor) * error + rule.tiny;

  /** The error of a weight among the smallest numbers. */
  const lost = (weight) => Math.min(weight, rule.tiny) / rule.epsilon + rule.tiny;

  /** Scores of a row, and the sizes that their errors are relative to. */
  function scoresOf(b, h, i, qAt, kAt) {
    const row = { dots: [], shares: [], y: [], keys: [], sizes: [], raws: [], A: 0 };
    for (let j = 0; j < n; j++) {
      const added = bias(options, b, h, i, j);
      row.y[j] = added.value;
      if (added.value === -Infinity) continue;
      const at = kAt(j);
      const lambda = scale * (keyScale ? keyScale[j] : 1);
      row.keys.push(j);
      row.dots[j] = sum(d, (c) => q[qAt + c] * k[at + c]);
      row.raws[j] = Math.abs(lambda) * sum(d, (c) => Math.abs(q[qAt + c] * k[at + c]));
      row.shares[j] = softcap > 0 ? Math.tanh((lambda * row.dots[j]) / softcap) : 0;
      row.y[j] = (softcap > 0 ? softcap * row.shares[j] : lambda * row.dots[j]) + added.value;
      row.sizes[j] = row.raws[j] + added.size;
    }
    return row;
  }

  for (let b = 0; b < batch; b++)
    for (let h = 0; h < heads; h++)
      for (let i = 0; i < m; i++) {
        const group = Math.floor(h / (heads / kvHeads));
        const qAt = place(b, h, i, heads, m) * d;
        const oAt = place(b, h, i, heads, m) * dv;
        const kAt = (j) => place(b, group, j, kvHeads, n) * d;
        const vAt = (j) => place(b, group, j, kvHeads, n) * dv;
        const row = scoresOf(b, h, i, qAt, kAt);
        const { keys, y } = row;
        if (!keys.length) continue;
        const { weights: p, top } = softmax(y, keys, T, sinks?.[h]);
        // the weight of a sink is that of a key with the same logit and no value
        const pSink = sinks ? softmax([...y, sinks[h]], [...keys, n], T).weights[n] : 0;
        let A = sinks && pSink > 0 ? Math.abs(sinks[h]) / T : 0;
        for (const j of keys) if (p[j] > 0) A = Math.max(A, row.sizes[j] / T);
        A = Math.max(A, Math.abs(top) / T);
        g.A = Math.max(g.A, A);
        const relative = rule.own + Math.log(n + 1) + rule.steep * A;

        const dP = keys.map((j) => sum(dv, (c) => dOutput[oAt + c] * v[vAt(j) + c]));
        // a product below the normal numbers is rounded like the smallest of them
        const gross = keys.map(
          (j) => sum(dv, (c) => Math.abs(dOutput[oAt + c] * v[vAt(j) + c])) + dv * rule.tiny,
        );
        const mean = sum(keys.length, (x) => p[keys[x]] * dP[x]);
        const grossMean = sum(keys.length, (x) => p[keys[x]] * gross[x]);
        const errorOf = (weight) => relative * weight + lost(weight);
        const weightErrors = keys.map((j) => errorOf(p[j]));
        // by way of the output, which is rounded
        const meanError =
          sum(keys.length, (x) => weightErrors[x] * gross[x]) +
          rule.tiny * sum(dv, (c) => Math.abs(dOutput[oAt + c]));

        keys.forEach((j, x) => {
          for (let c = 0; c < dv; c++) {
            const up = dOutput[oAt + c];
            g.dv.add(vAt(j) + c, p[j] * up, weightErrors[x] * Math.abs(up));
          }
          const dz = (p[j] * (dP[x] - mean)) / T;
          const size = gross[x] + grossMean;
          const slope = 1 - row.shares[j] ** 2;
          // the slope is as wrong as the raw score, and has roundings of its own
          const slopeError = softcap > 0 ? 4 + (2 * rule.steep * row.raws[j]) / softcap : 0;
          const dr = dz * slope;
          const dzError = (size * weightErrors[x] + p[j] * meanError + 2 * rule.tiny) / T;
          const drError = dzError * slope + (size * p[j] * slopeError) / T;
          const lambda = keyScale ? keyScale[j] : 1;
          for (let c = 0; c < d; c++) {
            const [qc, kc] = [q[qAt + c], k[kAt(j) + c]];
            g.dq.add(
              qAt + c,
              scale * lambda * dr * kc,
              rounded(scale * lambda, drError) * Math.abs(kc),
            );
            g.dk.add(
              kAt(j) + c,
              scale * lambda * dr * qc,
              rounded(scale * lambda, drError) * Math.abs(qc),
            );
          }
          const dotSize = sum(d, (c) => Math.abs(q[qAt + c] * k[kAt(j) + c]));
          const dotError = drError * dotSize + Math.abs(dr) * dotSize * rule.own;
          g.dKeyScale.add(j, scale * dr * row.dots[j], Math.abs(scale) * dotError);
          g.dScale.add(0, lambda * dr * row.dots[j], Math.abs(lambda) * dotError);
          if (mask && !(mask.data instanceof Uint8Array))
            g.dBias.add(placeInMask(mask.shape, [b, h, i, j]), dz, dzError);
          g.dTemperature.add(
            0,
            (-dz * y[j]) / T,
            (2 * dzError * (Math.abs(y[j]) + row.sizes[j])) / T,
          );
        });
        if (sinks) {
          const dSink = (-pSink * mean) / T;
          const size = (errorOf(pSink) * grossMean + pSink * meanError) / T;
          g.dSinks.add(h, dSink, size);
          g.dTemperature.add(0, (-dSink * sinks[h]) / T, (size * Math.abs(sinks[h])) / T);
        }
      }
  return g;
}
