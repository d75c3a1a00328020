/** Uses that the types must accept and refuse; tests/package/bundlers.test.js compiles them. */
import { ClearheadError, init } from 'clearhead';
import type {
  AttentionOptions,
  DType,
  Engine,
  Identity,
  Layers,
  MultiHead,
  Tensor,
} from 'clearhead';
import { loadModel } from 'clearhead/model';
import type { HeadStats, Model } from 'clearhead/model';
// @ts-expect-error how files are read is no part of the package
import type { ModelFile } from 'clearhead/model';
import { createTrainer } from 'clearhead/train';
import type { HeadScores, StepResult, Trainer } from 'clearhead/train';
import { loadModel as loadRemote } from 'clearhead/worker';
import type { RemoteModel } from 'clearhead/worker';

const q = new Float32Array(4);
const doubles = new Float64Array(4);

export async function attention(): Promise<Float32Array> {
  const ch: Engine = await init();
  // @ts-expect-error an engine without layers
  ch.gelu;
  const want = { lse: true, stats: true } as const;
  const { output, lse, stats } = ch.attention(q, q, q, { headDim: 4, causal: true, want });
  const kl: Float32Array = stats.kl ?? lse;
  // @ts-expect-error not asked for
  const none: Float32Array = ch.attention(q, q, q, { headDim: 4, want: { lse: true } }).weights;
  // @ts-expect-error queries of one precision, keys of another
  ch.attention(q, doubles, q, { headDim: 4 });
  // @ts-expect-error no such option
  ch.attention(q, q, q, { headDim: 4, headSize: 4 });
  // @ts-expect-error headDim is required
  ch.attention(q, q, q, {});
  const cache = ch.kvCache({ headDim: 4, capacity: 8 });
  cache.append(q, q);
  if (ch.attend(q, cache).output.length !== 4) throw new ClearheadError('SHAPE', 'never');
  return kl ?? none ?? output;
}

/** Options and an engine that are kept in variables. */
export async function kept(): Promise<Float32Array[]> {
  const deep: Engine & Layers = await init({ layers: true });
  const options: AttentionOptions<Float32Array> = { headDim: 4, want: { lse: true } };
  const keyLengths = Int32Array.of(4);
  options.offset = keyLengths;
  const { output } = deep.attention(q, q, q, { ...options, keyLengths });
  // @ts-expect-error options for doubles
  const doubled: AttentionOptions<Float64Array> = options;
  return [output, deep.gelu(q), deep.attention(q, q, q, options).output, q.fill(doubled.headDim)];
}

/** Results have buffers of their own, and so does an array that is given for the output. */
export async function buffers(dtype: DType, shared: Float32Array): Promise<ArrayBuffer[]> {
  const ch = await init({ layers: true });
  const want = { weights: true, stats: true } as const;
  const { output, weights, stats } = ch.attention(shared, q, q, { headDim: 4, want });
  const cache = ch.kvCache({ headDim: 4, capacity: 8 });
  const { gradient } = (await ch.theory).maximumLikelihood(q, q, q);
  const made = ch.ropeTable({ dim: 2, positions: 9 });
  const arrays = [output, weights, stats.kl, stats.argmax, cache.snapshot(), cache.read().k];
  const others = [ch.attend(q, cache).output, ch.silu(shared), made.cos, gradient];
  const out = new Float32Array(4);
  const same: typeof out = ch.attention(q, q, q, { headDim: 4, out }).output;
  const also: typeof out = ch.add(shared, shared, { out });
  const tensor: Tensor = ch.tensor([2, 2], dtype);
  const view: Float32Array = ch.gelu(q, { out: ch.tensor([4]) });
  const doubled: Float64Array = ch.attention(doubles, doubles, doubles, { headDim: 4 }).output;
  // @ts-expect-error of doubles
  const single: Float32Array = ch.attention(doubles, doubles, doubles, { headDim: 4 }).output;
  const lengths = tensor.length + view.length + doubled.length + single.length;
  const buffers: ArrayBuffer[] = [...arrays, ...others, same, also].map(({ buffer }) => buffer);
  return buffers.slice(lengths);
}

/** An option may be undefined, which is the same as not given. */
export async function absent(threads?: number, signal?: AbortSignal): Promise<Float32Array> {
  const ch = await init({ threads, wasm: undefined, variant: undefined, layers: true });
  const none = undefined;
  const cache = ch.kvCache({ headDim: 4, capacity: 8, type: none, kvHeads: none });
  cache.append(q, q, { layout: none });
  const weights = { heads: none, rows: none };
  const want = { weights, lse: none, stats: none };
  ch.attend(q, cache, { window: none, mask: none, offset: none, out: none, want });
  ch.rmsNorm(q, none, { size: none, epsilon: none, out: none });
  const model = await loadModel('model.gguf', { signal, onProgress: none, context: none });
  model.generate('Once', { stop: none, maxTokens: none, seed: none, observe: none });
  const remote = await loadRemote('model.gguf', { engine: { threads }, worker: none, signal });
  await remote.dispose();
  return ch.attention(q, q, q, { headDim: 4, valueDim: none, out: none, want: none }).output;
}

export async function statements(): Promise<Identity> {
  const theory = await (await init()).theory;
  const { beta, identity }: { beta: number; identity: Identity } = theory.klBudget(q, 0.5);
  // @ts-expect-error either multipliers or a target
  theory.maximumEntropy(q, q, { multipliers: beta, target: identity.left });
  return identity;
}

export async function layers(wasm: URL): Promise<Float32Array> {
  const ch: Engine & Layers = await init({ wasm, variant: 'simd', layers: true });
  const rope = ch.ropeTable({ dim: 2, positions: 9 });
  const weights = { q, k: q, v: q, o: q };
  const layer: MultiHead = ch.multiHead(weights, { modelDim: 2, heads: 1, rope });
  const cache = ch.kvCache({ headDim: 2, capacity: 4 });
  const row: Float32Array = layer.forward(q, { cache, want: { stats: true } }).output;
  // @ts-expect-error a layer has its own heads
  layer.forward(q, { heads: 2 });
  // @ts-expect-error float32 only
  ch.swiglu(q, doubles);
  // @ts-expect-error YaRN needs the original context
  ch.ropeTable({ dim: 2, positions: 9, scaling: { type: 'yarn', factor: 4 } });
  return ch.gelu(row, { approximate: 'tanh', out: row });
}

export async function gradients(): Promise<number> {
  const ch = await init({ layers: true });
  const out = { dq: new Float32Array(4) };
  const want = { dSinks: true, dTemperature: true } as const;
  const given = ch.attentionGradient(q, q, q, q, { headDim: 4, sinks: q, want, out });
  const [dSinks, dq]: [Float32Array, Float32Array] = [given.dSinks, given.dq];
  const exact = ch.attentionGradient(doubles, doubles, doubles, doubles, { headDim: 4 });
  const dk: Float64Array = exact.dk;
  // @ts-expect-error it was not asked for
  const scale: number = exact.dScale;
  // @ts-expect-error gradients are of one type
  ch.attentionGradient(q, q, q, doubles, { headDim: 4 });
  return given.dTemperature + dSinks[0] + dq[0] + dk[0] + scale;
}

export async function write(file: Blob, internal?: ModelFile): Promise<string> {
  if (internal) return '';
  const model: Model = await loadModel(file, { quantize: 'q8', context: 512 });
  let text = '';
  let last: HeadStats | undefined;
  const heads: [number, number][] = [[0, 1]];
  const how = { maxTokens: 5, tau: 0.8, observe: 'weights', heads } as const;
  for await (const next of model.generate('Once', how)) {
    text += next.text;
    last = next.heads;
  }
  // @ts-expect-error the sampling temperature is called tau
  model.generate('Once', { temperature: 1 });
  return text + last?.effectiveKeys[0];
}

export async function inAWorker(file: Blob): Promise<number> {
  const remote: RemoteModel = await loadRemote(file, { engine: { threads: 2 } });
  const { q, k }: { q: Float32Array; k: Float32Array } = await remote.row(0, 1, 0);
  // @ts-expect-error in a worker everything is a promise
  remote.step(1).logits;
  return q.length + k.length;
}

export async function training(tokens: Int32Array, signal?: AbortSignal): Promise<number> {
  const config = { vocab: 9, modelDim: 8, layers: 1, heads: 2, ffnDim: 0 };
  const trainer: Trainer = await createTrainer(config, {
    batch: 2,
    context: 4,
    threads: undefined,
    optimizer: { learningRate: 1e-2, warmup: undefined },
  });
  const result: StepResult = await trainer.step(tokens, { heads: true, signal });
  const scores: HeadScores = result.heads ?? trainer.heads(tokens);
  const { loss } = await trainer.evaluate(tokens, { targets: undefined });
  const [{ name, shape, data }] = trainer.parameters();
  trainer.setParameters([{ name, shape, data }]);
  trainer.restore(trainer.state());
  // @ts-expect-error a batch has a size
  await createTrainer(config, { context: 4 });
  // @ts-expect-error the feed-forward width is required, 0 for none
  await createTrainer({ vocab: 9, modelDim: 8, layers: 1, heads: 2 }, { batch: 2, context: 4 });
  // @ts-expect-error tokens are integers
  await trainer.step(new Float32Array(10));
  return loss + scores.rho[0] + scores.induction[0];
}
