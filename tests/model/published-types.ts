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

/** An option that may be undefined gives a result that may be undefined. */
export async function perhaps(
  model: Model,
  remote: RemoteModel,
  flag: boolean,
  onPart: (() => void) | undefined,
): Promise<void> {
  for (const each of [model, remote]) {
    const options = {
      ledger: flag || undefined,
      trace: flag ? { record: ['z' as const] } : undefined,
      observe: flag ? ('stats' as const) : undefined,
    };
    for await (const { ledger, trace, heads } of each.generate('', options)) {
      // @ts-expect-error perhaps no ledger
      ledger.heads;
      // @ts-expect-error perhaps no trace
      trace.z;
      // @ts-expect-error perhaps no statistics
      heads.entropy;
      const all: (Float64Array | Float32Array | undefined)[] = [ledger?.heads, trace?.z];
      all.push(heads?.entropy);
    }
    for await (const { ledger } of each.chat([], { ledger: flag || undefined }))
      // @ts-expect-error perhaps no ledger
      ledger.heads;
    for await (const { ledger } of each.generate('', { ledger: flag }))
      // @ts-expect-error perhaps no ledger
      ledger.heads;
    for await (const { trace } of each.generate('', {
      trace: flag ? { record: ['z'] } : undefined,
    }))
      // @ts-expect-error perhaps no trace
      trace.z;
    const { trace } = await each.step(1, { trace: flag ? { record: ['z'] } : undefined });
    // @ts-expect-error perhaps no trace
    trace.z;
    const { z } = await each.trace('', { record: ['z'], onPart });
    // @ts-expect-error perhaps no array beside onPart
    z.length;
    const { sources } = await each.ledger(1, 2, { sources: flag || undefined });
    // @ts-expect-error perhaps no sources
    sources.length;
    const none: undefined = (await each.ledger(1, 2, { sources: undefined })).sources;
    sources?.fill(z?.[0] ?? trace?.z[0] ?? none ?? 0);
    // @ts-expect-error no such option of a trace
    await each.step(1, { trace: { record: ['z'], layer: [0] } });
  }
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
