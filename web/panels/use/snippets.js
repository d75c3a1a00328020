/** Code to begin with, where no panel has code of its own. */

export const TERMINAL = `npm run build && npm pack  # in a clone of the repository
npm install ../clearhead/clearhead-*.tgz  # in your project
npx clearhead check                            # all statements, both sides
npx clearhead generate model.gguf "Once upon"  # a model writes in your terminal`;

export const MODEL = `import { loadModel } from 'clearhead/model';

// an address, a File, or bytes
const model = await loadModel(new URL('model.gguf', import.meta.url));
for await (const { text, heads } of model.generate('Once upon a time', { observe: 'weights' })) {
  console.log(text, heads.weights); // every look of every head
}`;

export const ATTENTION = `import { init } from 'clearhead';

const ch = await init();
const random = () => Float32Array.from({ length: 8 * 16 * 64 }, () => 4 * Math.random() - 2);
const { output, stats } = ch.attention(random(), random(), random(), {
  heads: 8,
  headDim: 64,
  want: { stats: true },
});
console.log(stats.entropy); // how widely each query looks`;
