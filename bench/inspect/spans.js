/**
 * The cost of sums over spans: a prompt of a file in the shape of SmolLM2-135M is read alternately
 * with and without them. Times are of the processor. The ratio is the median over pairs of
 * neighbouring rounds, whose order changes.
 *
 *   node bench/inspect/spans.js
 */
import process from 'node:process';
import { init } from '../../src/js/index.js';
import { loadModel } from '../../src/js/model/index.js';
import { modelFile, prompt } from '../models/files.js';
import { median } from '../spread.js';

const PROMPT = 512;
const SPANS = 32;
const ROUNDS = 15;

const engine = await init({ layers: true, threads: 1 });
const file = modelFile('SmolLM2-135M', 'Q8_0');
const model = await loadModel(new URL(`../../${file}`, import.meta.url), { engine });
const ids = /** @type {import('../../src/js/model/api.d.ts').Tokenizer} */ (model.tokenizer).encode(
  prompt(PROMPT),
);
const width = PROMPT / SPANS;
/** @type {[number, number][]} */
const spans = Array.from({ length: SPANS }, (_, x) => [x * width, (x + 1) * width]);

/** Milliseconds of the processor. @param {object} [options] */
function read(options) {
  model.cache.clear();
  const before = process.cpuUsage();
  model.prefill(ids, options);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

read();
read({ observe: { spans } });
const plain = [];
const observed = [];
for (let round = 0; round < ROUNDS; round++) {
  const both = [() => plain.push(read()), () => observed.push(read({ observe: { spans } }))];
  for (const one of round % 2 ? both.reverse() : both) one();
}
const [before, after] = [median(plain), median(observed)];
const ratio = median(observed.map((ms, round) => ms / plain[round]));
const more = (100 * (ratio - 1)).toFixed(1);
console.log(
  `${engine.info.variant}, a prompt of ${PROMPT}: ${before.toFixed(0)} ms, ` +
    `with ${SPANS} spans ${after.toFixed(0)}: +${more} %`,
);
