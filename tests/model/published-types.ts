/** The hand-written types and the modules agree. Nothing runs here: compiling is the test. */
import * as modules from '../../src/js/index.js';
import type * as published from '../../src/js/types.d.ts';

import type { GenerateOptions, HeadStats, Model, loadModel } from '../../src/js/model/api.d.ts';
import { ClearheadError as RemoteError } from '../../src/js/worker/client.js';
import type { RemoteModel } from '../../src/js/worker/client.d.ts';

export const agree: typeof published = modules;

/** `heads` is there when it was asked for, and then alone. */
export async function observed(
  model: Model,
  remote: RemoteModel,
  some: GenerateOptions,
): Promise<void> {
  for await (const { heads } of model.generate('', { observe: 'stats' }))
    heads.entropy.fill(heads.n[0]);
  for await (const { heads } of remote.generate([1], { maxTokens: 3, observe: 'weights' }))
    heads.weights[0].weights.fill(0);
  const none: undefined[] = [
    model.step(1).heads,
    model.prefill([1], { observe: 'none' }).heads,
    (await remote.step(1)).heads,
  ];
  for await (const { heads } of model.chat([], some)) {
    const perhaps: HeadStats | undefined = heads ?? none[0];
    // @ts-expect-error not known to be there
    perhaps.entropy;
  }
  // @ts-expect-error statistics alone have no rows
  model.step(1, { observe: 'stats' }).heads.weights[0];
  // @ts-expect-error no such thing to observe
  model.step(1, { observe: 'all' });
  // @ts-expect-error the sampling temperature is called tau
  model.generate('', { observe: 'stats', temperature: 1 });
}

/** A layer gives what was asked for; a model wants an engine with layers. */
export function layered(
  engine: published.Engine,
  deep: published.Engine & published.Layers,
  layer: published.MultiHead,
  latent: published.Latent,
  x: Float32Array,
  load: typeof loadModel,
): void {
  const { stats } = layer.forward(x, { want: { stats: true } }),
    { weights } = latent.forward(x, { form: 'absorbed', want: { weights: { rows: [0] } } });
  stats.entropy.fill(weights[0]);
  // @ts-expect-error not asked for
  layer.forward(x, { causal: true }).stats.entropy;
  // @ts-expect-error no such thing to want
  layer.forward(x, { want: { entropy: true } });
  load('', { engine: deep });
  // @ts-expect-error without layers
  load('', { engine });
}

/** The error of `clearhead/worker` is a value as well. */
export const isOurs = (error: unknown): error is published.ClearheadError =>
  error instanceof RemoteError;
