/** Whole models beside wllama, in one run: the same file, the same browser, taking turns. */
import { readFileSync, readdirSync } from 'node:fs';
import process from 'node:process';
import { init } from '../../src/js/index.js';
import { memories } from '../../src/js/engine/memory.js';
import { loadModel } from '../../src/js/model/index.js';
import { modelFile, prompt } from './files.js';
import { reason } from '../side.js';
import { spread } from '../spread.js';

/** Prompts, and how many tokens are decoded behind them. */
const RUNS = [
  [128, 48],
  [512, 1],
  [896, 48],
];

/** The tokens that have been read when a page's memory is measured. */
const WARM = { prompt: 128, tokens: 24 };

/** Names of files, the most telling first. */
export const MODELS = [
  'SmolLM2-135M-Q8_0',
  'SmolLM2-135M-Q4_0',
  'SmolLM2-135M-Q4_K',
  'SmolLM2-135M-F16',
  'SmolLM2-135M-F32',
  'stories15M-Q8_0',
  'stories15M-F32',
];

/** Beside files of 4 bits. */
export const BESIDE = 'clearhead, Q8_0';

const SIDES = [
  { who: BESIDE, peer: 'clearhead', options: { variant: 'auto' } },
  { who: 'clearhead relaxed', peer: 'clearhead', options: { variant: 'relaxed' } },
  { who: 'clearhead simd', peer: 'clearhead', options: { variant: 'simd' } },
  {
    who: 'clearhead relaxed, f16 cache',
    peer: 'clearhead',
    options: { variant: 'relaxed', cacheType: 'f16' },
  }, // as wllama's
  { who: 'wllama', peer: 'wllama', options: {} },
  // nothing decodes faster than it reads its weights
  { who: 'the file read once a token', peer: 'limit', options: {} },
];

/**
 * The largest memory so far of each of the browser's page processes, in bytes, by its number.
 * @returns {Map<string, number>}
 */
function resident() {
  const peaks = new Map();
  for (const id of readdirSync('/proc').filter((name) => /^\d+$/.test(name)))
    try {
      if (!/--type=renderer/.test(readFileSync(`/proc/${id}/cmdline`, 'utf8')) || !below(id))
        continue;
      peaks.set(
        id,
        1024 *
          Number(readFileSync(`/proc/${id}/status`, 'utf8').match(/^VmHWM:\s+(\d+)/m)?.[1] ?? 0),
      );
    } catch {
      // it has ended meanwhile
    }
  return peaks;
}

/**
 * How many bytes more a page and its workers hold by now. They share one process, the one that has
 * grown most. Chromium keeps a spare process, which grows too while it starts.
 * @param {Map<string, number>} before
 */
function grown(before) {
  const now = resident();
  return Math.max(0, ...[...before].map(([id, bytes]) => (now.get(id) ?? 0) - bytes));
}

/** Whether a process was started by this one, or by one that was. @param {string} id */
function below(id) {
  for (
    let at = id;
    Number(at) > 1;
    at = readFileSync(`/proc/${at}/stat`, 'utf8')
      .replace(/^.*\) \S+ /, '')
      .split(' ')[0]
  )
    if (Number(at) === process.pid) return true;
  return false;
}

/**
 * @param {any} browser as of openBrowser
 * @param {{ models: string[], rounds: number, say: (text: string) => void }} how
 * @returns {Promise<any[]>} a row for each model, type, number of threads and side
 */
export async function measureModels(browser, { models, rounds, say }) {
  const rows = [];
  for (const [name, type, threads] of models.flatMap((model) =>
    [1, 2].map(
      (count) => /** @type {[string, string, number]} */ ([...model.split(/-(?=[^-]*$)/), count]),
    ),
  )) {
    const sides = [];
    const readings = {};
    // types of 4 bits are compared with our own Q8_0 in the same minutes, and Q4_K with nobody else
    for (const side of SIDES.filter(({ who, peer }) =>
      who === BESIDE ? /^Q4/.test(type) : type !== 'Q4_K' || peer === 'clearhead',
    )) {
      const file = modelFile(/** @type {any} */ (name), side.who === BESIDE ? 'Q8_0' : type);
      const url = `/${file}`;
      // nobody is the first to read it from the disk
      const bytes = readFileSync(new URL(`../../${file}`, import.meta.url)).length;
      const reading = (readings[file] ??= {
        reading: await memoryOfReading(browser, url),
        wasm: (await wasmOfReading(file)) - bytes,
      });
      sides.push({
        ...(await openSide(browser, side.who, side.peer, url, { ...side.options, threads, bytes })),
        ...reading,
      });
    }
    for (let round = 0; round < rounds; round++) for (const side of sides) await runSide(side);
    for (const side of sides) {
      await side.page.close();
      const speeds = Object.fromEntries(
        Object.entries(side.samples).map(([key, list]) => [key, spread(list, true)]),
      );
      const row = {
        name,
        type,
        threads,
        who: side.who,
        ...(side.why
          ? { why: side.why }
          : {
              about: side.about,
              load: side.milliseconds,
              memory: side.memory,
              reading: side.reading,
              kept: side.bytes + side.cache,
              ...(side.peer === 'clearhead' && { wasm: side.wasm }),
              speeds,
            }),
      };
      rows.push(row);
      say(modelLine(row));
    }
  }
  return rows;
}

/** Waits until earlier work has come to rest. */
const rest = () => new Promise((resolve) => setTimeout(resolve, 1500));

/**
 * How many bytes more a page holds after it has read a file piece by piece and kept nothing. That
 * is the browser's own part in loading.
 */
async function memoryOfReading(browser, url) {
  const page = await browser.page();
  await rest();
  const before = resident();
  await page.call('readModel', url);
  const bytes = grown(before);
  await page.close();
  return bytes;
}

/**
 * Bytes of wasm memory beside the cache after a prompt was read, on one thread and with the kernels
 * of this Node. A page with the same kernels has as much.
 * @param {string} file
 */
async function wasmOfReading(file) {
  const engine = await init({ layers: true });
  const memory = memories.get(engine);
  const model = await loadModel(new URL(`../../${file}`, import.meta.url), { engine });
  for await (const _ of model.generate(prompt(512), { maxTokens: 1 }));
  const bytes = memory.buffer.byteLength - model.cache.bytes;
  model.dispose();
  engine.dispose();
  return bytes;
}

async function openSide(browser, who, peer, url, options) {
  const page = await browser.page();
  const side = { who, peer, page, bytes: options.bytes, samples: {} };
  await rest();
  const before = resident();
  try {
    const { position, ...opened } = await page.call('openModel', peer, url, options);
    await page.call('runModel', prompt(WARM.prompt), WARM.tokens); // compiled for good
    Object.assign(side, opened, {
      memory: grown(before),
      cache: position * (WARM.prompt + WARM.tokens),
    });
  } catch (error) {
    side.why = reason(error);
  }
  return side;
}

/** A turn: each of the runs once, and ours once more with the statistics of every head. */
async function runSide(side) {
  if (side.why) return;
  const note = (key, value) => value && (side.samples[key] ??= []).push(value);
  try {
    // the side before it has come to rest, and this one is awake
    await rest();
    await side.page.call('runModel', prompt(32), 8);
    for (const [length, count] of RUNS) {
      const { promptTokens, prefill, decode } = await side.page.call(
        'runModel',
        prompt(length),
        count,
      );
      if (Math.abs(promptTokens - length) > 3)
        throw new Error(`the prompt has ${promptTokens} tokens, not ${length}`);
      note(`prefill ${length}`, prefill);
      note(`decode ${length}`, decode);
      // right behind the one it is compared with
      if (length === 128 && side.peer === 'clearhead')
        note(
          'decode 128, observed',
          (await side.page.call('runModel', prompt(128), 48, 'stats')).decode,
        );
    }
  } catch (error) {
    side.why = reason(error);
  }
}

/** @param {any} row */
function modelLine({ name, type, threads, who, why, about, load, memory, speeds }) {
  const head = `${name} ${type}, ${threads} ${threads === 1 ? 'thread' : 'threads'}, ${who}`.padEnd(
    52,
  );
  if (why) return `${head} ${why}`;
  const speed = (key) => `${key} ${speeds[key]?.median.toFixed(0) ?? '–'}`;
  const fast = Object.keys(speeds).map(speed).join(', ');
  const megabytes = (memory / 2 ** 20).toFixed(0);
  return `${head} ${fast} tok/s; load ${load.toFixed(0)} ms, ${megabytes} MB (${about})`;
}
