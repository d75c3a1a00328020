/** The story under the changes of now, in code that runs anywhere with the model's file. */
import { LOAD } from '../look/code.js';
import { PROMPT } from '../look/state.js';

/** @param {any} state the signals of the panel */
export function codeOf({ heads, how, hidden, push, pushLayer, towards, from }) {
  const act = how.value === 'blind' ? 'temperature: Infinity' : 'gain: 0';
  const entries = heads.value.map((/** @type {string} */ name) => {
    const [layer, head] = name.split('.');
    return `  { layer: ${layer}, head: ${head}, ${act} },`;
  });
  if (hidden.value.length)
    entries.push(
      `  ...layers.map((layer) => ({ layer, knockOut: { keys: [${hidden.value.join(', ')}] } })),`,
    );
  const pushed = push.value > 0;
  if (pushed)
    entries.push(`  { layer: ${pushLayer.value}, at: 'resid_post', add, gain: ${push.value} },`);
  const layers = 'const layers = Array.from({ length: model.config.layers }, (_, layer) => layer);';
  return [
    LOAD,
    '',
    hidden.value.length ? layers : '',
    pushed ? directionCode(pushLayer.value, towards.value, from.value) : '',
    entries.length ? `model.intervene([\n${entries.join('\n')}\n]);` : '',
    `const prompt = ${JSON.stringify(PROMPT)};`,
    "let story = '';",
    'for await (const { text } of model.generate(prompt, { maxTokens: 40 })) story += text;',
    'console.log(story);',
    '',
    'const ids = model.tokenizer.encode(prompt);',
    'await model.prefill(ids);',
    '// the chance of the first word after each layer, and the parts of its score',
    'const { top } = await model.lens(ids.length - 1);',
    'const [{ token }] = top.at(-1);',
    'const { embedding, heads, feedForward, rest } = await model.ledger(ids.length - 1, token);',
    'console.log({ token, top, embedding, heads, feedForward, rest });',
  ]
    .filter((line, i) => line || i === 1 || i === 10)
    .join('\n');
}

/** @param {number} layer @param {string} towards @param {string} from */
const directionCode = (layer, towards, from) =>
  [
    `const how = { record: ['resid_post'], layers: [${layer}], positions: 'last' };`,
    `const there = await model.trace(${JSON.stringify(towards)}, how);`,
    `const here = await model.trace(${JSON.stringify(from)}, how);`,
    'const add = there.resid_post.map((x, c) => x - here.resid_post[c]);',
  ].join('\n');
