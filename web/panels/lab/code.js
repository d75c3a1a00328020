/** The story under the present changes, in code that runs anywhere with the model's file. */
import { loading } from '../look/code.js';

/** The page makes the shuffled file by itself. */
const TRAINED = '// the page shuffled the weights; here they are as they were trained';

/** The parts of a word's score. @param {string} tokens the word, or the word and its rival */
const explained = (tokens) => `// its chance after each layer, under the changes
model.cache.clear();
await model.prefill(ids.slice(0, -1));
const position = ids.length - 2;
const token = ids.at(-1);
const word = (id) => model.tokenizer.decode([id]);
const { top, probabilities } = await model.lens(position);
top.forEach(([best], layer) => {
  const chance = probabilities[layer * model.config.vocab + token];
  console.log(\`layer \${layer}: '\${word(token)}' \${chance}, best '\${word(best.token)}'\`);
});
// the parts of its score
const rival = top.at(-1).find((each) => each.token !== token).token;
const ledger = await model.ledger(position, ${tokens});
const { embedding, heads, feedForward, interventions, rounding, rest } = ledger;
console.log({ word: word(token), rival: word(rival) });
console.log({ embedding, heads, feedForward, interventions, rounding, rest });`;

/**
 * @param {any} state the signals of the panel
 * @param {{ whose: 'first' | 'changed', at: number }} word that is explained, and its story
 * @param {Pick<import('../../page/model.js').SharedModel, 'source'>} model
 */
export function codeOf(state, { whose, at }, model) {
  const entries = entriesOf(state);
  const acts = entries.length ? [`model.intervene([\n${entries.join('\n')}\n]);`] : [];
  const first = whose === 'first';
  const upTo = [
    `// the story ${first ? 'as it was' : 'under the changes'}, up to the word that is explained`,
    `const before = model.generate(prompt, { maxTokens: ${at + 1} });`,
    'for await (const { token } of before) ids.push(token);',
  ];
  const story = [
    `const prompt = ${JSON.stringify(state.prompt.value)};`,
    'const ids = model.tokenizer.encode(prompt);',
    ...(first ? [...upTo, ...acts] : [...acts, ...upTo]),
    "let story = '';",
    'for await (const { text } of model.generate(prompt, { maxTokens: 40 })) story += text;',
    'console.log(story);',
  ].join('\n');
  const tokens = state.against.value === 'next' ? '[token, rival]' : 'token';
  const trained = state.shuffle.value && !model.source ? [TRAINED] : [];
  const parts = [...trained, loading(model), ...preparation(state), story, explained(tokens)];
  return parts.join('\n\n');
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
