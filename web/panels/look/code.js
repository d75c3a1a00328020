/** A row of the look, in code that runs anywhere beside the model's file. */

/** @typedef {import('../../page/model.js').SharedModel} SharedModel */
/** @typedef {import('./writing/story.js').Token} Token */

const OWN = 'stories-Q8_0.gguf';
const at = (/** @type {string} */ name) => `new URL(${JSON.stringify(name)}, import.meta.url)`;

/** Loads the model that is open. @param {Pick<SharedModel, 'source'>} model */
export function loading({ source }) {
  const files = source && filesOf(source);
  const where = files ? 'your own file, beside this one' : 'a copy of web/model/stories-Q8_0.gguf';
  return `import { loadModel } from 'clearhead/model';

// ${where}
const model = await loadModel(${files ?? at(OWN)});`;
}

/** @param {any} source one file, or files by their role @returns {string} */
function filesOf(source) {
  if (source instanceof File) return at(source.name);
  if (Array.isArray(source)) return `[${source.map(filesOf).join(', ')}]`;
  const entries = Object.entries(source).filter(([, file]) => file);
  return `{\n${entries.map(([role, file]) => `  ${role}: ${filesOf(file)},`).join('\n')}\n}`;
}

/**
 * @param {object} row up to the word that looks back
 * @param {readonly Token[]} row.tokens
 * @param {number} row.layer @param {number} row.head @param {number} row.T
 * @param {boolean} [row.bits] whether it prints the surprise of that word, too
 * @param {string} [row.text] that gives these tokens; without it, they are written as numbers
 * @param {Pick<SharedModel, 'source'>} model
 */
export const codeOf = ({ tokens, layer, head, T, bits = false, text }, model) =>
  [
    loading(model),
    '',
    ...(text === undefined
      ? [
          `// ${JSON.stringify(textOf(tokens))}`,
          `const ids = [${linesOf(tokens.map(({ id }) => id))}];`,
        ]
      : [`const text = ${JSON.stringify(text)};`, 'const ids = model.tokenizer.encode(text);']),
    ...(T === 1 ? [] : [`model.setTemperature(${T});`]),
    ...(bits && tokens.length > 1 ? SURPRISE : []),
    `await model.prefill(${bits && tokens.length > 1 ? 'ids.slice(-1)' : 'ids'});`,
    `const { weights } = model.row(${layer}, ${head}, ids.length - 1); // layer, head, last piece`,
    'ids.forEach((id, j) => console.log(model.tokenizer.decode([id]), weights[j]));',
  ].join('\n');

const SURPRISE = [
  'const { logits } = await model.prefill(ids.slice(0, -1));',
  'const sum = logits.reduce((total, z) => total + Math.exp(z), 0);',
  "console.log('surprise:', -Math.log2(Math.exp(logits[ids.at(-1)]) / sum), 'bits');",
];

/** Some numbers a line. @param {readonly number[]} numbers */
export const linesOf = (numbers) =>
  numbers.map((x, i) => (i % 16 === 0 ? `\n  ${x}` : ` ${x}`)).join(',') + '\n';

/** @param {readonly Token[]} tokens */
export const textOf = (tokens) => tokens.map(({ text }) => text).join('');
