/** Loading that is aborted or fails uses no memory afterwards. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memories } from '../../../src/js/engine/memory.js';
import { init } from '../../../src/js/index.js';
import { loadModel } from '../../../src/js/model/index.js';
import { asSafetensors, configs, tiny } from '../../support/models/random-models.js';
import { engine, source } from '../../support/models/texts.js';
import { inChunks } from '../../support/streams.js';

test('loading can be aborted, and takes nothing', async () => {
  const before = engine.tensor([1]).data.byteOffset;
  for (const after of [0, 1]) {
    const controller = new AbortController();
    const reason = new Error('enough');
    let calls = 0;
    const onProgress = () => {
      if (calls++ === after) controller.abort(reason);
    };
    await assert.rejects(
      loadModel(inChunks(source, source.length >> 1), {
        engine,
        signal: controller.signal,
        onProgress,
      }),
      reason,
    );
  }
  assert.ok(engine.tensor([1]).data.byteOffset >= before);
});

test('a model that does not fit takes nothing', async () => {
  const own = await init({ layers: true, variant: 'simd' });
  const memory = memories.get(own);
  const before = memory.top;
  const large = tiny({
    ...configs['llama, tied, grouped'],
    num_hidden_layers: 1,
    num_attention_heads: 1,
    num_key_value_heads: 1,
    head_dim: 1024,
    max_position_embeddings: 2 ** 26,
  });
  // a cache of 1 GiB and rotary tables of 2, beside 2 that are used
  const used = memory.allocate(2 ** 31);
  const blocks = [memory.top, memory.holes];
  await assert.rejects(
    loadModel(asSafetensors(large), { engine: own, context: 2 ** 19, cacheType: 'q8' }),
    { code: 'OOM' },
  );
  assert.deepEqual([memory.top, memory.holes], blocks);
  memory.release(used, 2 ** 31);
  // a size that can never fit is refused before anything is read or computed for it
  const { byteLength } = memory.buffer;
  for (const [context, cacheType] of [
    [2 ** 20, 'q8'],
    [2 ** 20, 'f32'],
    [2 ** 26, 'f16'],
  ])
    await assert.rejects(loadModel(asSafetensors(large), { engine: own, context, cacheType }), {
      name: 'ClearheadError',
      code: 'LIMIT',
      message:
        `context is ${context}; expected fewer positions: weights, cache and tables have 4 ` +
        'GiB together',
    });
  assert.deepEqual([memory.top, memory.holes, memory.buffer.byteLength], [before, [], byteLength]);
});
