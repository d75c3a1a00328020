/**
 * Decoding with interventions and recordings beside plain decoding: a model in the shape of
 * SmolLM2-135M, one thread, taking turns in one process. Times are of the processor, so that other
 * work on the machine counts little.
 *
 *   node bench/inside.js [TYPE]       of the weights; default Q8_0
 *   node bench/inside.js FILE.gguf    a model of your own
 */
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { init } from '../src/js/index.js';
import { loadModel } from '../src/js/model/index.js';
import { modelFile } from './models/files.js';
import { median } from './spread.js';

const PROMPT = 96;
/** Milliseconds of a turn, of 6 to 100 tokens. */
const TURN = 80;
const ROUNDS = 15;
/** Microseconds of the processor before them, in which the engine compiles JavaScript. */
const WARM_UP = 4e6;

const given = process.argv[2] ?? 'Q8_0';
const file = given.endsWith('.gguf')
  ? pathToFileURL(given)
  : new URL(`../${modelFile('SmolLM2-135M', given)}`, import.meta.url);
const engine = await init({ layers: true, threads: 1 });
const model = await loadModel(file, { engine, context: 512 });
const { layers, heads, headDim, modelDim } = model.config;
const tokens = Array.from({ length: PROMPT }, (_, at) => 30 + ((at * at + 3 * at) % 199));
const middle = layers >> 1;
const twice = tokens.concat(tokens);
const record = ['z', 'resid_pre', 'pattern'];
const from = await model.trace(twice, { record, layers: [middle] });
const ofAll = await model.trace(twice, { record: ['z'] });
const rows = Array.from({ length: 2 * PROMPT }, (_, i) =>
  new Float32Array(i + 1).fill(1 / (i + 1)),
);

/** An entry for each head. */
const each = (entry) =>
  Array.from({ length: layers * heads }, (_, at) => ({
    layer: Math.floor(at / heads),
    head: at % heads,
    ...entry,
  }));

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
  { name: 'each head: a gain', list: each({ gain: 0.9 }) },
  { name: 'each head: its mean', list: each({ gain: 'mean' }) },
  {
    name: 'each head: a vector added',
    list: each({ at: 'z', add: new Float32Array(headDim).fill(0.1) }),
  },
  { name: 'each head: patched', list: each({ patch: 'z', from: ofAll }) },
  { name: 'each head: uniform', list: each({ pattern: 'uniform' }) },
  { name: 'each head: a temperature', list: each({ temperature: 0.5 }) },
  { name: 'each head: knock-out', list: each({ knockOut: { keys: [0, 5] } }) },
  { name: 'each head: previous token', list: each({ pattern: 'previous' }) },
  { name: 'recording resid_post of a layer', trace: { record: ['resid_post'], layers: [middle] } },
  { name: 'recording resid_post of all layers', trace: { record: ['resid_post'] } },
];

model.prefill(tokens);
let steps = 1;
/** Microseconds of the processor for some steps. */
function time({ list = [], trace }) {
  model.cache.truncate(PROMPT);
  model.intervene(list);
  model.step(40, { trace });
  const started = process.cpuUsage();
  for (let step = 0; step < steps; step++) model.step(41 + step, { trace });
  const { user, system } = process.cpuUsage(started);
  return user + system;
}

for (const one of CASES) time(one);
steps = Math.min(100, Math.max(6, Math.ceil((TURN * 1000) / time(CASES[0]))));
for (let spent = 0; spent < WARM_UP;) for (const one of CASES) spent += time(one);
const times = CASES.map(() => []);
for (let round = 0; round < ROUNDS; round++) CASES.forEach((one, at) => times[at].push(time(one)));
CASES.forEach(({ name }, at) => {
  const ratio = median(times[at].map((t, round) => times[0][round] / t));
  const ms = median(times[at]) / steps / 1000;
  console.log(`${name.padEnd(36)} ${ms.toFixed(2)} ms a token, ${ratio.toFixed(3)} of plain speed`);
});
model.dispose();
engine.dispose();
