/** Code to begin with, where no panel has code of its own. */

export const TERMINAL = `npm run build && npm pack  # in a clone of the repository
npm install ../clearhead/clearhead-*.tgz  # in your project
npx clearhead check                            # all statements, both sides
npx clearhead generate model.gguf "Once upon"  # a model writes in your terminal`;

export const MODEL = `import { loadModel } from 'clearhead/model';

const model = await loadModel('model.gguf'); // a file, an address, or bytes
for (const token of model.generate('Once upon a time', { observe: 'weights' })) {
  console.log(token.text, token.heads.weights); // every look of every head
}`;

export const ATTENTION = `import { init } from 'clearhead';

const ch = await init();
const { output, stats } = ch.attention(q, k, v, {
  heads: 8,
  headDim: 64,
  want: { stats: true },
});
console.log(stats.entropy); // how widely each query looks`;
