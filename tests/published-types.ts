/** The hand-written types and the modules agree. Nothing runs here: compiling is the test. */
import * as modules from '../src/js/index.js';
import type * as published from '../src/js/types.d.ts';

import type { GenerateOptions, HeadStats, Model } from '../src/js/model/api.d.ts';
import type { RemoteModel } from '../src/js/model/remote.d.ts';

export const agree: typeof published = modules;

/** `heads` is there when it was asked for, and then alone. */
export async function observed(model: Model, remote: RemoteModel, some: GenerateOptions): Promise<void> {
  for await (const { heads } of model.generate('', { observe: 'stats' })) heads.entropy.fill(heads.n[0]);
  for await (const { heads } of remote.generate([1], { maxTokens: 3, observe: 'weights' })) heads.weights[0].weights.fill(0);
  const none: undefined[] = [model.step(1).heads, model.prefill([1], { observe: 'none' }).heads, (await remote.step(1)).heads];
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
