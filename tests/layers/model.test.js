/**
 * A trained model made of nothing but layers: stories260K, five multi-head layers with SwiGLU
 * between them, against logits and keys computed in float64. Third-party data beside this
 * repository; without it: skipped.
 */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { sameArray } from '../support/bits.js';
import { engines } from '../support/models/engines.js';

const folder = new URL('../../../shared/models/stories260K/', import.meta.url);
const skip = existsSync(folder) ? false : 'skipped, not present';
const modelDim = 64;
const heads = 8;
const kvHeads = 4;
const headDim = 8;
const count = 5;
const epsilon = 1e-5;
const bytes = (name) => readFileSync(new URL(name, folder));
const floats = (name, Type) => new Type(Uint8Array.from(bytes(name)).buffer);

/** name → Float32Array. */
function weights(name) {
  const file = bytes(`${name}/model.safetensors`);
  const start = 8 + Number(file.readBigUInt64LE(0));
  const header = JSON.parse(file.toString('utf8', 8, start));
  return (tensor) => {
    const [from, to] = header[tensor].data_offsets;
    return new Float32Array(Uint8Array.from(file.subarray(start + from, start + to)).buffer);
  };
}

/** The model, and a forward pass over some of its ids. */
function build(ch, name) {
  const w = weights(name);
  const embedding = w('model.embed_tokens.weight');
  const rope = ch.ropeTable({ dim: headDim, positions: 512, interleaved: name === 'interleaved' });
  const blocks = Array.from({ length: count }, (_, l) => {
    const of = (part) => w(`model.layers.${l}.${part}.weight`);
    const linear = (part, inputs) => ch.linear(of(`mlp.${part}_proj`), { inputs });
    return {
      before: of('input_layernorm'),
      between: of('post_attention_layernorm'),
      gate: linear('gate', modelDim),
      up: linear('up', modelDim),
      down: linear('down', 172),
      attention: ch.multiHead(
        {
          q: of('self_attn.q_proj'),
          k: of('self_attn.k_proj'),
          v: of('self_attn.v_proj'),
          o: of('self_attn.o_proj'),
        },
        { modelDim, heads, kvHeads, rope },
      ),
      cache: ch.kvCache({ kvHeads, headDim, capacity: 512 }),
    };
  });
  const last = w('model.norm.weight');
  const head = ch.linear(embedding, { inputs: modelDim });
  const add = (a, b) => a.map((x, i) => x + b[i]);
  return {
    blocks,
    /** @param {number[]} ids */
    forward(ids) {
      let h = Float32Array.from(
        ids.flatMap((id) => [...embedding.subarray(id * modelDim, (id + 1) * modelDim)]),
      );
      for (const { before, between, gate, up, down, attention, cache } of blocks) {
        h = add(
          h,
          attention.forward(ch.rmsNorm(h, before, { epsilon }), { cache, causal: true }).output,
        );
        const x = ch.rmsNorm(h, between, { epsilon });
        h = add(h, down.forward(ch.swiglu(gate.forward(x), up.forward(x))));
      }
      return head.forward(ch.rmsNorm(h, last, { epsilon }));
    },
  };
}

const prompts = ['empty', 'once', 'lily'];

for (const { variant, ch } of engines)
  for (const name of ['hf', 'interleaved'])
    test(
      `stories260K from layers (${name}): near float64, and in steps the same bits (${variant})`,
      { skip },
      (t) => {
        const model = build(ch, name);
        let worst = 0;
        for (const prompt of prompts) {
          const {
            prompt_tokens: given,
            fed,
            last,
          } = JSON.parse(bytes(`reference/${prompt}.ids.json`));
          const want = floats(`reference/${prompt}.logits.f64`, Float64Array);
          model.blocks.forEach(({ cache }) => cache.truncate(0));
          const logits = model.forward(fed);
          const max = want.reduce((a, x) => Math.max(a, Math.abs(x)), 0);
          assert.equal(logits.length, want.length);
          logits.forEach((x, at) => (worst = Math.max(worst, Math.abs(x - want[at]) / max)));
          const best = (i) =>
            logits
              .subarray(i * 512, i * 512 + 512)
              .reduce((at, x, id, row) => (x > row[at] ? id : at), 0);
          const { length } = fed;
          const chosen = Array.from({ length }, (_, i) => best(i));
          assert.deepEqual(chosen.slice(given - 1, length - 1), fed.slice(given), 'greedy text');
          assert.equal(chosen.at(-1), last);
          if (prompt !== 'once') continue;
          const all = floats(
            name === 'hf' ? 'reference/once.qkvo.half.f32' : 'reference/once.qk.interleaved.f32',
            Float32Array,
          );
          const step = all.length / count;
          model.blocks.forEach(({ cache }, l) => {
            const k = all.slice(
              l * step + 256 * heads * headDim,
              l * step + 256 * (heads + kvHeads) * headDim,
            );
            const got = cache.read(0, 256).k;
            const top = k.reduce((a, x) => Math.max(a, Math.abs(x)), 0);
            for (let i = 0; i < 256; i++)
              for (let h = 0; h < kvHeads; h++)
                for (let c = 0; c < headDim; c++)
                  assert.ok(
                    Math.abs(
                      got[(h * 256 + i) * headDim + c] - k[(i * kvHeads + h) * headDim + c],
                    ) <=
                      1e-4 * top,
                    `layer ${l}, key ${i}`,
                  );
          });
          model.blocks.forEach(({ cache }) => cache.truncate(0));
          for (let i = 0; i < 40; i++)
            sameArray(
              model.forward([fed[i]]),
              logits.slice(i * 512, i * 512 + 512),
              `position ${i}`,
            );
        }
        assert.ok(worst <= 1e-4, `${worst} of the largest logit`);
        t.diagnostic(`worst logit error ${worst.toExponential(1)} of the largest`);
      },
    );
