/**
 * A trained model made of nothing but layers: stories260K, five multi-head layers with SwiGLU
 * between them, against logits and keys computed in float64. Third-party data beside this
 * repository; without it: skipped.
 */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { before, describe, test } from 'node:test';
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

/** A prompt, the ids that were fed after it, and the logits of float64. */
const reference = (prompt) => ({
  ...JSON.parse(bytes(`reference/${prompt}.ids.json`)),
  want: floats(`reference/${prompt}.logits.f64`, Float64Array),
});
const clear = ({ blocks }) => blocks.forEach(({ cache }) => cache.truncate(0));
const largest = (list) => list.reduce((a, x) => Math.max(a, Math.abs(x)), 0);
/** The ids with the largest logits, one a position. @param {Float32Array} logits */
const chosen = (logits) =>
  Array.from({ length: logits.length / 512 }, (_, i) => {
    const row = logits.subarray(i * 512, (i + 1) * 512);
    return row.indexOf(Math.max(...row));
  });

for (const { variant, ch } of engines)
  for (const name of ['hf', 'interleaved'])
    describe(`stories260K from layers (${name}, ${variant})`, { skip }, () => {
      let model;
      before(() => (model = build(ch, name)));

      for (const prompt of ['empty', 'once', 'lily']) {
        test(`${prompt}: logits are within 1e-4 of float64, and the text is that`, (t) => {
          const { prompt_tokens: given, fed, last, want } = reference(prompt);
          clear(model);
          const logits = model.forward(fed);
          assert.equal(logits.length, want.length);
          const max = largest(want);
          const worst = largest(Float64Array.from(want, (x, at) => (logits[at] - x) / max));
          const ids = chosen(logits);
          assert.deepEqual(ids.slice(given - 1, -1), fed.slice(given), 'greedy text');
          assert.equal(ids.at(-1), last);
          assert.ok(worst <= 1e-4, `${worst} of the largest logit`);
          t.diagnostic(`worst logit error ${worst.toExponential(1)} of the largest`);
        });
      }

      test('keys in the caches are those of float64', () => {
        clear(model);
        model.forward(reference('once').fed);
        const file = name === 'hf' ? 'once.qkvo.half.f32' : 'once.qk.interleaved.f32';
        const all = floats(`reference/${file}`, Float32Array);
        const step = all.length / count;
        const start = 256 * heads * headDim;
        model.blocks.forEach(({ cache }, l) => {
          const at = l * step + start;
          const want = all.slice(at, at + 256 * kvHeads * headDim); // positions first
          const got = cache.read(0, 256).k; // heads first
          const allowed = 1e-4 * largest(want);
          want.forEach((x, index) => {
            const [i, h] = [
              Math.floor(index / headDim / kvHeads),
              Math.floor(index / headDim) % kvHeads,
            ];
            const error = Math.abs(got[(h * 256 + i) * headDim + (index % headDim)] - x);
            assert.ok(error <= allowed, `layer ${l}, key ${i}`);
          });
        });
      });

      test('one token at a time has the bits of all at once', () => {
        const { fed } = reference('once');
        clear(model);
        const logits = model.forward(fed);
        clear(model);
        for (let i = 0; i < 40; i++)
          sameArray(model.forward([fed[i]]), logits.slice(i * 512, i * 512 + 512), `position ${i}`);
      });
    });
