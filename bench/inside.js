/**
 * Decoding with interventions and recordings beside plain decoding: a model in the shape of
 * SmolLM2-135M, one thread, taking turns in one process. Times are of the processor, so that other
 * work on the machine counts little.
 *
 *   node bench/inside.js [TYPE]   of the weights; default Q8_0
 */
import process from 'node:process';
import { init } from '../src/js/index.js';
import { loadModel } from '../src/js/model/index.js';
import { modelFile } from './models/files.js';

const PROMPT = 96;
const STEPS = 6;
const ROUNDS = 15;

const file = modelFile('SmolLM2-135M', process.argv[2] ?? 'Q8_0');
const engine = await init({ layers: true, threads: 1 });
const model = await loadModel(new URL(`../${file}`, import.meta.url), {
  engine,
  context: 512,
});
const { layers, modelDim } = model.config;
const tokens = Array.from({ length: PROMPT }, (_, at) => 300 + ((at * at + 3 * at) % 999));
const middle = layers >> 1;
const record = ['z', 'resid_pre', 'pattern'];
const from = await model.trace(tokens.concat(tokens), { record, layers: [middle] });
const rows = Array.from({ length: 2 * PROMPT }, (_, i) =>
  new Float32Array(i + 1).fill(1 / (i + 1)),
);

/** Each with a list of interventions, or the records of a step. */
const CASES = [
  { name: 'plain' },
  { name: 'plain again' },
  { name: 'gain of a head', list: [{ layer: middle, head: 1, gain: 0 }] },
  { name: 'mean of a head', list: [{ layer: middle, head: 1, gain: 'mean' }] },
  {
    name: 'gain of every head',
    list: Array.from({ length: layers }, (_, layer) => ({ layer, gain: 0.9 })),
  },
  { name: 'knock-out in a layer', list: [{ layer: middle, knockOut: { keys: [0, 5] } }] },
  { name: 'knock-out in a head', list: [{ layer: middle, head: 1, knockOut: { keys: [0, 5] } }] },
  { name: 'previous token', list: [{ layer: middle, head: 1, pattern: 'previous' }] },
  { name: 'rows of its own', list: [{ layer: middle, head: 1, pattern: rows }] },
  { name: 'temperature', list: [{ layer: middle, head: 1, temperature: 0.5 }] },
  { name: 'a vector added', list: [{ layer: middle, add: new Float32Array(modelDim).fill(0.1) }] },
  { name: 'a patched head', list: [{ layer: middle, head: 1, patch: 'z', from }] },
  { name: 'a patched stream', list: [{ layer: middle, patch: 'resid_pre', from }] },
  { name: 'recording resid_post of a layer', trace: { record: ['resid_post'], layers: [middle] } },
  { name: 'recording resid_post of all layers', trace: { record: ['resid_post'] } },
];

model.prefill(tokens);
/** Microseconds of the processor for some steps. */
function time({ list = [], trace }) {
  model.cache.truncate(PROMPT);
  model.intervene(list);
  model.step(400, { trace });
  const started = process.cpuUsage();
  for (let step = 0; step < STEPS; step++) model.step(401 + step, { trace });
  const { user, system } = process.cpuUsage(started);
  return user + system;
}

const times = CASES.map(() => []);
for (let round = 0; round < ROUNDS; round++)
  CASES.forEach((each, at) => times[at].push(time(each)));
const median = (list) => list.toSorted((a, b) => a - b)[list.length >> 1];
CASES.forEach(({ name }, at) => {
  const ratio = median(times[at].map((t, round) => times[0][round] / t));
  const ms = median(times[at]) / STEPS / 1000;
  console.log(`${name.padEnd(36)} ${ms.toFixed(2)} ms a token, ${ratio.toFixed(3)} of plain speed`);
});
model.dispose();
engine.dispose();
