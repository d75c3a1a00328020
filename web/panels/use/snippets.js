/** Code to begin with, where no panel has code of its own. */

/** Before code of this page. */
export const INSTALL =
  '// npm install clearhead-*.tgz, which “npm pack” makes in a clone; for a file .mjs';

export const TERMINAL = `git clone https://github.com/clearhead-js/clearhead
cd clearhead && npm run build && npm pack --silent   # the first time takes minutes
mkdir -p ../my-project && cd ../my-project && npm init --yes
npm install ../clearhead/clearhead-*.tgz
npx clearhead generate ../clearhead/web/model "One frosty morning,"  # a model writes
npx clearhead inspect ../clearhead/web/model "Ella had a red cup"  # where its heads look`;

export const MODEL = `import { loadModel } from 'clearhead/model';

// an address, a File, or bytes; web/model/stories-Q8_0.gguf of the repository is one
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
