/**
 * The program that runs everywhere: attention and a tiny model, with threads, and both in a worker.
 */

/** The entries that most environments use. */
export const INLINE = { attention: 'clearhead/inline', model: 'clearhead/inline/model' };
export const SPLIT = {
  attention: 'clearhead',
  model: 'clearhead/model',
  worker: 'clearhead/worker',
};

/**
 * A module with `check`, which resolves to the results.
 * @param {{ attention: string, model: string, worker?: string }} entries as they are imported
 * @param {{ before?: string, init?: string, load?: string }} [setUp] lines and options
 */
export const check = (entries, { before = '', init = '{ threads: 2 }', load = '{}' } = {}) => `
import { init } from '${entries.attention}';
import { loadModel${entries.worker ? '' : ', worker'} } from '${entries.model}';
${entries.worker ? `import * as worker from '${entries.worker}';` : ''}
${before}
import { bytes } from './model.js';
${body(init, load, 'export ')}`;

/** The same for a page where a classic script defined `clearhead`. */
export const classicCheck = (model) =>
  `const { init, loadModel, worker } = clearhead;
${model.replace('export ', '')}
${body()}`;

/**
 * The functions of the program.
 * @param {string} [init] options
 * @param {string} [load] options
 * @param {string} [exported] before `check`
 */
export const body = (init = '{ threads: 2 }', load = '{}', exported = '') => `
const row = Float32Array.from({ length: 32 }, (_, i) => Math.sin(i * i));
async function textOf(model) {
  let all = '';
  for await (const { text } of model.generate('ab ba', { maxTokens: 6, tau: 0 })) all += text;
  return all;
}
/** 'yes', 'other results', 'no: ' and the reason of an error of ours, or another error. */
async function inWorker(start, isRight) {
  try {
    const remote = await start();
    const right = await isRight(remote);
    await remote.dispose();
    return right ? 'yes' : 'other results';
  } catch (error) {
    return error.name === 'ClearheadError' ? 'no: ' + error.message : String(error.stack);
  }
}
${exported}async function check() {
  const engine = await init(${init});
  const { output } = engine.attention(row, row, row, { headDim: 4, causal: true });
  const { rho } = (await engine.theory).rhoEffective(Float64Array.of(2, 1, 0.5, -1));
  const model = await loadModel(bytes(), ${load});
  const text = await textOf(model);
  const modelInWorker = await inWorker(
    () => worker.loadModel(bytes()),
    async (remote) => (await textOf(remote)) === text,
  );
  const attentionInWorker = await inWorker(
    () => worker.init(),
    async (remote) => {
      const there = await remote.attention(row, row, row, { headDim: 4, causal: true });
      return String(there.output) === String(output);
    },
  );
  const { threads, why } = engine.info;
  engine.dispose();
  return {
    attention: Array.from(output, (x) => x.toFixed(4)).join(' ') + ' ' + rho.toFixed(6),
    model: model.tokenizer.encode('ab ba').join(' ') + ' ' + text,
    threads,
    why,
    modelInWorker,
    attentionInWorker,
  };
}
`;

/** Calls \`check\` and says the results. */
export const SAY = `
check().then(
  (results) => console.log('RESULT ' + JSON.stringify(results)),
  (error) => console.log('RESULT ' + JSON.stringify({ error: String(error.stack || error) })),
);
`;

/** The results that a program said. @param {string} said */
export function resultIn(said) {
  const [, json] = said.match(/RESULT (\{.*\})/) ?? [];
  if (!json) throw new Error(`no result in: ${said.slice(-2000)}`);
  return JSON.parse(json);
}
