/** A row of the look, in code that runs anywhere beside the model's file. */

export const LOAD = `import { loadModel } from 'clearhead/model';

// of web/model in the repository
const model = await loadModel(new URL('stories-Q8_0.gguf', import.meta.url));`;

/**
 * @typedef {import('./story.js').Token} Token
 * @param {{ tokens: readonly Token[], layer: number, head: number, T: number }} row up to the word
 *   that looks back
 */
export const codeOf = ({ tokens, layer, head, T }) =>
  [
    LOAD,
    '',
    `const ids = [${lines(tokens.map(({ id }) => id))}];`,
    ...(T === 1 ? [] : [`model.setTemperature(${T});`]),
    'await model.prefill(ids);',
    `const { weights } = model.row(${layer}, ${head}, ids.length - 1);`,
    'ids.forEach((id, j) => console.log(model.tokenizer.decode([id]), weights[j]));',
  ].join('\n');

/** Some numbers a line. @param {readonly number[]} numbers */
const lines = (numbers) =>
  numbers.map((x, i) => (i % 16 === 0 ? `\n  ${x}` : ` ${x}`)).join(',') + '\n';
