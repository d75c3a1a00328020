/** A whole model in double: its loss and the gradient of every parameter, from the textbook. */
import { reference } from '../reference.js';
import { attentionGradient } from './attention-gradient.js';
import { rules } from './compare.js';
import {
  crossEntropy,
  curves,
  linear,
  linearGradient,
  rmsNorm,
  rmsNormGradient,
  rotate,
  slopes,
} from './textbook.js';

const plus = (a, b) => a.map((x, i) => x + b[i]);

/**
 * @param {import('../../../src/js/train/types.d.ts').TrainedConfig} config
 * @param {Map<string, ArrayLike<number>>} parameters by name
 * @param {ArrayLike<number>} tokens (sequences, context)
 * @param {ArrayLike<number>} targets
 * @param {number} context
 * @returns {{ loss: number, gradients: Map<string, Float64Array> }}
 */
export function modelGradient(config, parameters, tokens, targets, context) {
  const { modelDim: width, heads, kvHeads, headDim: dim, ffnDim, vocab } = config;
  const w = (name) => Float64Array.from(parameters.get(`${name}.weight`));
  const gradients = new Map([...parameters].map(([name, x]) => [name, new Float64Array(x.length)]));
  const add = (name, dw) => {
    const sum = gradients.get(`${name}.weight`);
    dw.forEach((x, i) => (sum[i] += x));
  };
  const batch = tokens.length / context;
  const call = { batch, heads, kvHeads, headDim: dim, layout: 'bshd', causal: true };
  const turn = (x, count, sign) => rotate(x, count, dim, config.ropeTheta, context, sign);
  const embedding = w('model.embed_tokens');
  const output = config.tiedOutput ? 'model.embed_tokens' : 'lm_head';

  let x = Float64Array.from(
    [...tokens].flatMap((token) => [...embedding.subarray(token * width, (token + 1) * width)]),
  );
  /** The way back through each layer: from the gradient of its output to that of its input. */
  const back = [];
  for (let layer = 0; layer < config.layers; layer++) {
    const of = (name) => `model.layers.${layer}.${name}`;
    /** y = W·input, and the way back. */
    const project = (name, input, inputs) => ({
      y: linear(input, w(of(name)), inputs),
      back: (dy) => {
        const { dx, dw } = linearGradient(dy, input, w(of(name)), inputs);
        add(of(name), dw);
        return dx;
      },
    });
    const norm = (name, input) => ({
      y: rmsNorm(input, w(of(name)), config.normEps),
      back: (dy) => {
        const { dx, dg } = rmsNormGradient(dy, input, w(of(name)), config.normEps);
        add(of(name), dg);
        return dx;
      },
    });
    const n1 = norm('input_layernorm', x);
    const [q, k, v] = ['q', 'k', 'v'].map((role) => project(`self_attn.${role}_proj`, n1.y, width));
    const heard = [turn(q.y, heads), turn(k.y, kvHeads), v.y];
    const { output: attended } = reference(...heard, call);
    const o = project('self_attn.o_proj', attended, heads * dim);
    x = plus(x, o.y);
    back.push((dx) => {
      const da = o.back(dx);
      const { dq, dk, dv } = attentionGradient(...heard, da, call, rules.float64);
      const parts = [
        q.back(turn(dq.value, heads, -1)),
        k.back(turn(dk.value, kvHeads, -1)),
        v.back(dv.value),
      ];
      return plus(dx, n1.back(parts.reduce(plus)));
    });
    if (!ffnDim) continue;
    const n2 = norm('post_attention_layernorm', x);
    const gate = project('mlp.gate_proj', n2.y, width);
    const up = project('mlp.up_proj', n2.y, width);
    const [f, slope] = [curves[config.activation], slopes[config.activation]];
    const down = project(
      'mlp.down_proj',
      gate.y.map((g, i) => f(g) * up.y[i]),
      ffnDim,
    );
    x = plus(x, down.y);
    back.push((dx) => {
      const dh = down.back(dx);
      const dGate = gate.back(dh.map((d, i) => d * up.y[i] * slope(gate.y[i])));
      const dUp = up.back(dh.map((d, i) => d * f(gate.y[i])));
      return plus(dx, n2.back(plus(dGate, dUp)));
    });
  }

  const end = rmsNorm(x, w('model.norm'), config.normEps);
  const z = linear(end, w(output), width);
  const count = [...targets].filter((target) => target >= 0).length;
  const { losses, dz } = crossEntropy(z, targets, vocab, 1 / count);
  const last = linearGradient(dz, end, w(output), width);
  add(output, last.dw);
  const { dx, dg } = rmsNormGradient(last.dx, x, w('model.norm'), config.normEps);
  add('model.norm', dg);
  const first = back.reduceRight((d, step) => step(d), dx);
  const dEmbedding = gradients.get('model.embed_tokens.weight');
  tokens.forEach((token, i) => {
    for (let c = 0; c < width; c++) dEmbedding[token * width + c] += first[i * width + c];
  });
  return { loss: losses.reduce((a, b) => a + b, 0) / count, gradients };
}
