/**
 * The cost of looking inside: a sweep over all heads of a file in the shape of SmolLM2-135M, and
 * decoding with the ledger of each token. Times are of the processor, with both kinds of decoding
 * alternately. Their ratio is the median over neighbouring rounds.
 *
 *   node bench/inspect/index.js [FILE, in place of that model]
 */
import process from 'node:process';
import { init } from '../../src/js/index.js';
import { loadModel } from '../../src/js/model/index.js';
import { modelFile, prompt } from '../models/files.js';
import { median } from '../spread.js';

const PROMPT = 30;
const TOKENS = 24;
// a token of a small model takes a tenth of a millisecond
const ROUNDS = process.argv[2] ? 101 : 15;

const engine = await init({ layers: true, threads: 1 });
const file = process.argv[2] ?? modelFile('SmolLM2-135M', 'Q8_0');
const model = await loadModel(new URL(`../../${file}`, import.meta.url), { engine });
const ids = prompt(PROMPT);

/** Seconds of the processor. @param {() => Promise<unknown>} work */
async function seconds(work) {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}

/** Milliseconds a token behind the first, which comes with the prompt. @param {object} options */
async function decode(options) {
  const text = model.generate(ids, { maxTokens: TOKENS + 1, ...options });
  await text.next();
  const time = await seconds(async () => {
    for await (const { token } of text) void token;
  });
  return (1000 * time) / TOKENS;
}

const { layers, heads } = model.config;
const sweep = await seconds(() => model.sweep(ids, { metric: 'kl' }));
console.log(`${engine.info.variant}, sweep over ${layers * heads} heads: ${sweep.toFixed(1)} s`);
const plain = [];
const itemised = [];
await decode({ ledger: true }); // the norms of the columns are measured once
for (let round = 0; round < ROUNDS; round++) {
  plain.push(await decode({}));
  itemised.push(await decode({ ledger: true }));
}
const [before, after] = [median(plain), median(itemised)];
const ratio = median(itemised.map((ms, round) => ms / plain[round]));
const more = (100 * (ratio - 1)).toFixed(1);
console.log(
  `decoding ${before.toFixed(2)} ms a token, with ledgers ${after.toFixed(2)}: +${more} %`,
);
