/** Lets a model read the texts of the evaluation, and watches its predictions. */

/**
 * @typedef {import('../../../src/js/model/api.d.ts').Model} Model
 * @typedef {import('./sets.js').Asked} Asked
 */

/** The likeliest token, the first among equals. @param {Float32Array} logits */
const likeliest = (logits) => logits.reduce((best, x, id) => (x > logits[best] ? id : best), 0);

/** −log softmax at a token, in nats. @param {Float32Array} logits @param {number} token */
function surprise(logits, token) {
  const max = logits.reduce((a, b) => Math.max(a, b), -Infinity);
  const sum = logits.reduce((total, x) => total + Math.exp(x - max), 0);
  return max + Math.log(sum) - logits[token];
}

/** @param {Model} model */
function tokenizerOf({ tokenizer }) {
  if (!tokenizer) throw new Error('the model has no tokenizer, which the stories need');
  return tokenizer;
}

/**
 * The perplexity of stories.
 * @param {Model} model
 * @param {string[]} texts
 */
export function readStories(model, texts) {
  let nats = 0;
  let tokens = 0;
  for (const text of texts) {
    const ids = tokenizerOf(model).encode(text);
    model.cache.clear();
    for (const [at, id] of ids.slice(0, -1).entries()) {
      nats += surprise(model.step(id).logits, ids[at + 1]);
      tokens++;
    }
  }
  return { tokens, perplexity: Math.exp(nats / tokens) };
}

/**
 * Reads random sequences that come twice. The second time each token but the first can be known.
 * @param {Model} model
 * @param {Int32Array[]} sequences
 */
export function readRepeats(model, sequences) {
  let right = 0;
  let total = 0;
  for (const ids of sequences) {
    const period = ids.length / 2;
    model.cache.clear();
    for (const [at, id] of ids.slice(0, -1).entries()) {
      const { logits } = model.step(id);
      if (at < period) continue;
      if (likeliest(logits) === ids[at + 1]) right++;
      total++;
    }
  }
  return { right, total };
}

/**
 * Where each token begins and ends in its text.
 * @param {NonNullable<Model['tokenizer']>} tokenizer
 * @param {number[]} ids
 */
function placesOf(tokenizer, ids) {
  const stream = tokenizer.stream();
  let end = 0;
  return ids.map((id) => {
    const start = end;
    end += stream.push(id).length;
    return [start, end];
  });
}

/**
 * Questions with their answers as far as the token before the answer's word, and the positions of
 * the words that tell it.
 * @param {Model} model
 * @param {Asked[]} questions
 */
export function sourcesOf(model, questions) {
  const tokenizer = tokenizerOf(model);
  return questions.map(({ prompt, answer, sources, core }) => {
    const ids = tokenizer.encode(`${prompt} ${answer}`);
    const places = placesOf(tokenizer, ids);
    const said = prompt.length + 1 + answer.toLowerCase().indexOf(core.toLowerCase());
    const cue = places.findIndex(([, end]) => end > said) - 1;
    const positions = places.flatMap(([start, end], at) =>
      at <= cue && sources.some(([from, to]) => start < to && end > from) ? [at] : [],
    );
    return { prompt: ids.slice(0, cue + 1), positions };
  });
}

/** An answer has no more tokens. */
const MAX_ANSWER = 48;

/**
 * Asks each question and compares the greedy answer, letter by letter.
 * @param {Model} model
 * @param {Asked[]} questions
 */
export async function ask(model, questions) {
  /** @type {Record<string, { right: number, total: number }>} */
  const kinds = {};
  /** @type {{ question: string, expected: string, said: string }[]} */
  const wrong = [];
  for (const { kind, prompt, answer } of questions) {
    let said = '';
    for await (const { text } of model.generate(prompt, { maxTokens: MAX_ANSWER, stop: '\n' }))
      said += text;
    const count = (kinds[kind] ??= { right: 0, total: 0 });
    count.total++;
    if (said.trim() === answer) count.right++;
    else {
      const question = prompt.slice(prompt.lastIndexOf('\n') + 1);
      wrong.push({ question, expected: answer, said: said.trim() });
    }
  }
  return { right: questions.length - wrong.length, total: questions.length, kinds, wrong };
}
