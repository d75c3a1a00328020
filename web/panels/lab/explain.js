/** How a model came to a word: its chance after each layer, and the parts of its score. */

/** @typedef {import('../../../src/js/worker/client.d.ts').RemoteModel} RemoteModel */
/** @typedef {import('../../../src/js/model/inspect/types.d.ts').Ledger} Ledger */
/** @typedef {{ token: number, text: string, probability: number }} Guess */

/**
 * @typedef {object} Explained
 * @property {Guess} word
 * @property {Guess | undefined} rival the likeliest other word
 * @property {{ probability: number, guess: Guess }[]} layers the word's chance after each layer,
 *   and the likeliest word
 * @property {Ledger} ledger of the word's score, or of its lead over the rival
 * @property {number} score the same, from the model's own answer
 * @property {number} apart between the model's answer and the lens after the last layer
 */

/**
 * @param {RemoteModel} model under the present changes, with an empty cache
 * @param {readonly number[]} ids up to the word, which is the last
 * @param {boolean} pair whether the rival's score is subtracted
 * @returns {Promise<Explained>}
 */
export async function explain(model, ids, pair) {
  const token = ids[ids.length - 1];
  const { logits } = await model.prefill(ids.slice(0, -1));
  const position = ids.length - 2;
  const lens = await model.lens(position, { top: 2 });
  const vocab = logits.length;
  const chance = (/** @type {number} */ layer, /** @type {number} */ id) =>
    lens.probabilities[layer * vocab + id];
  const last = lens.top.length - 1;
  const guess = async (/** @type {number} */ layer, /** @type {number} */ id) => ({
    token: id,
    text: (await model.tokenizer?.decode([id], { continued: true })) ?? '',
    probability: chance(layer, id),
  });
  const other = lens.top[last].find((each) => each.token !== token)?.token;
  const against = pair ? other : undefined;
  const ledger = await model.ledger(position, against === undefined ? token : [token, against]);
  // the ledger is of scores before a softcap
  const plain = (/** @type {number} */ id) =>
    ledger.softcap ? ledger.softcap * Math.atanh(logits[id] / ledger.softcap) : logits[id];
  return {
    word: await guess(last, token),
    rival: other === undefined ? undefined : await guess(last, other),
    layers: await Promise.all(
      lens.top.map(async ([{ token: best }], layer) => ({
        probability: chance(layer, token),
        guess: await guess(layer, best),
      })),
    ),
    ledger,
    score: plain(token) - (against === undefined ? 0 : plain(against)),
    apart: largestDifference(logits, lens.logits.subarray(last * vocab)),
  };
}

/** @param {ArrayLike<number>} a @param {ArrayLike<number>} b */
export function largestDifference(a, b) {
  let largest = 0;
  for (let i = 0; i < a.length; i++)
    if (a[i] !== b[i]) largest = Math.max(largest, Math.abs(a[i] - b[i]));
  return largest;
}

/** The sum of all parts but the rest. @param {Ledger} ledger */
export function sumOfParts({ embedding, heads, feedForward, biases, interventions, rounding }) {
  let sum = embedding + rounding;
  for (const parts of [heads, feedForward, biases, interventions])
    for (const part of parts) sum += part;
  return sum;
}

/** The size of its numbers: a lead may be far below its parts. @param {Ledger} ledger */
export function largestPart({ embedding, heads, feedForward, interventions }) {
  let largest = Math.abs(embedding);
  for (const parts of [heads, feedForward, interventions])
    for (const part of parts) largest = Math.max(largest, Math.abs(part));
  return largest;
}
