/** Training beside torch: the same first parameters and tokens, its autograd and its AdamW. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createTrainer } from '../../src/js/train/index.js';
import { distance } from '../support/train/differences.js';
import { repeated } from '../support/train/tasks.js';

const script = fileURLToPath(new URL('../support/train/torch-reference.py', import.meta.url));
/** Debian's, where another python3 comes first. */
const python = ['python3', '/usr/bin/python3'].find(
  (path) => spawnSync(path, ['-c', 'import torch, numpy']).status === 0,
);
const skip = python ? false : 'skipped, not present: python3-torch';

const STEPS = 100;
/** Both compute in float32, each in its own order. */
const LOSS = 1e-4;
const GRADIENT = 1e-5;

const configs = {
  'a Llama with grouped heads': {
    ...{ vocab: 64, modelDim: 48, layers: 3, heads: 6, kvHeads: 2, headDim: 8, ffnDim: 96 },
  },
  'attention alone': { vocab: 40, modelDim: 32, layers: 2, heads: 4, ffnDim: 0 },
  'an output matrix of its own and GELU': {
    ...{ vocab: 50, modelDim: 24, layers: 2, heads: 2, ffnDim: 40, tiedOutput: false },
    activation: 'gelu',
  },
};

/** The losses, norms and first gradients of torch. */
function torch(request, parameters, tokens) {
  const folder = mkdtempSync(join(tmpdir(), 'torch-'));
  try {
    const bytesOf = ({ buffer, byteOffset, byteLength }) =>
      new Uint8Array(buffer, byteOffset, byteLength);
    writeFileSync(join(folder, 'request.json'), JSON.stringify(request));
    writeFileSync(join(folder, 'parameters.bin'), bytesOf(parameters));
    writeFileSync(join(folder, 'tokens.bin'), bytesOf(tokens));
    const { status, stdout, stderr } = spawnSync(python, [script, folder], {
      encoding: 'utf8',
      timeout: 300000,
    });
    assert.equal(status, 0, stderr);
    const gradients = new Float32Array(
      new Uint8Array(readFileSync(join(folder, 'gradients.bin'))).buffer,
    );
    return { ...JSON.parse(stdout), gradients };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe('100 steps have the losses of torch, and the first has its gradients', { skip }, () => {
  for (const [name, config] of Object.entries(configs))
    test(name, async (t) => {
      const [batch, context] = [8, 31];
      const trainer = await createTrainer(config, {
        seed: 11,
        batch,
        context,
        initialDeviation: 0.1,
        optimizer: { learningRate: 4e-3, warmup: 10, steps: STEPS, clip: 0.5 },
      });
      const batches = Array.from({ length: STEPS }, (_, step) =>
        repeated(step % 8, batch, context, config.vocab, 9),
      );
      const places = trainer.parameters().map((parameter) => [parameter.name, parameter.shape]);
      const want = torch(
        {
          ...{ config: trainer.config, optimizer: trainer.optimizer, parameters: places },
          ...{ count: STEPS, batch, context },
        },
        trainer.state().parameters,
        Int32Array.from(batches.flatMap((tokens) => [...tokens])),
      );
      const far = { loss: 0, norm: 0, gradient: 0 };
      for (const [step, tokens] of batches.entries()) {
        const { loss, gradNorm } = await trainer.step(tokens);
        far.loss = Math.max(far.loss, Math.abs(loss / want.losses[step] - 1));
        far.norm = Math.max(far.norm, Math.abs(gradNorm / want.norms[step] - 1));
        if (step > 0) continue;
        let at = 0;
        for (const { name: parameter, data } of trainer.gradients()) {
          const theirs = want.gradients.subarray(at, (at += data.length));
          const away = distance(data, theirs);
          assert.ok(away <= GRADIENT, `${parameter}: ${away}`);
          far.gradient = Math.max(far.gradient, away);
        }
      }
      t.diagnostic(`${JSON.stringify(far)}, loss ${want.losses[0]} to ${want.losses.at(-1)}`);
      assert.ok(want.losses.at(-1) < 0.8 * want.losses[0], 'it learns');
      assert.ok(far.loss <= LOSS, `${far.loss}`);
    });
});
