/** The story under the present changes, in code that runs anywhere with the model's file. */
import { LOAD } from '../look/code.js';
import { PROMPT } from '../look/state.js';

/** The first word: its chance after each layer, and the parts of its score. */
const FIRST_WORD = `const ids = model.tokenizer.encode(prompt);
await model.prefill(ids);
// the chance of the first word after each layer, and the parts of its score
const { top } = await model.lens(ids.length - 1);
const [{ token }] = top.at(-1);
const ledger = await model.ledger(ids.length - 1, token);
const { embedding, heads, feedForward, rounding, rest } = ledger;
console.log({ token, top, embedding, heads, feedForward, rounding, rest });`;

/** @param {any} state the signals of the panel */
export function codeOf(state) {
  const entries = entriesOf(state);
  const story = [
    ...(entries.length ? [`model.intervene([\n${entries.join('\n')}\n]);`] : []),
    `const prompt = ${JSON.stringify(PROMPT)};`,
    "let story = '';",
    'for await (const { text } of model.generate(prompt, { maxTokens: 40 })) story += text;',
    'console.log(story);',
  ].join('\n');
  return [LOAD, ...preparation(state), story, FIRST_WORD].join('\n\n');
}

/** Interventions, a line each. @param {any} state */
function entriesOf({ heads, how, hidden, push, pushLayer }) {
  const act = how.value === 'blind' ? 'temperature: Infinity' : 'gain: 0';
  const entries = heads.value.map((/** @type {string} */ name) => {
    const [layer, head] = name.split('.');
    return `  { layer: ${layer}, head: ${head}, ${act} },`;
  });
  const keys = hidden.value.join(', ');
  if (keys) entries.push(`  ...layers.map((layer) => ({ layer, knockOut: { keys: [${keys}] } })),`);
  if (push.value)
    entries.push(`  { layer: ${pushLayer.value}, at: 'resid_post', add, gain: ${push.value} },`);
  return entries;
}

/** @param {any} state */
function preparation({ hidden, push, pushLayer, towards, from }) {
  const layers = 'const layers = Array.from({ length: model.config.layers }, (_, layer) => layer);';
  const direction = [
    `const how = { record: ['resid_post'], layers: [${pushLayer.value}], positions: 'last' };`,
    `const there = await model.trace(${JSON.stringify(towards.value)}, how);`,
    `const here = await model.trace(${JSON.stringify(from.value)}, how);`,
    'const add = there.resid_post.map((x, c) => x - here.resid_post[c]);',
  ].join('\n');
  return [...(hidden.value.length ? [layers] : []), ...(push.value ? [direction] : [])];
}
