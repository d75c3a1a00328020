/**
 * Watches an induction head form, for each of some seeds.
 *
 *   node training/induction/train.js [SEEDS] [--write]    default: seed 0
 *
 * With --write, the curves of seed 0 and the times of all seeds are kept in curves.json. Times are
 * processor time, and the other seeds end when a head has formed.
 */
import { writeFileSync } from 'node:fs';
import os from 'node:os';
import process from 'node:process';
import { SECONDS, STEPS, THRESHOLD } from './recipe.js';
import { run } from './run.js';

const write = process.argv.includes('--write');
const count = Number(process.argv.slice(2).find((argument) => argument !== '--write') ?? 1);

/** Short enough to be kept. @param {number} x */
const rounded = (x) => Number(x.toPrecision(4));
/** @param {ArrayLike<number>} values */
const all = (values) => Array.from(values, rounded);
/** @param {ArrayLike<number>} values */
const largest = (values) => Math.max(...Array.from(values)).toFixed(2);

const runs = [];
let curves;
for (let seed = 0; seed < count; seed++) {
  const { points, formed } = await run(seed, {
    whole: seed === 0,
    onPoint({ step, loss, previousToken, induction }) {
      const scores = `previous token ${largest(previousToken)}, induction ${largest(induction)}`;
      console.log(`seed ${seed}, step ${step}: loss ${loss.toFixed(3)}, ${scores}`);
    },
  });
  const when = formed && { step: formed.step, seconds: rounded(formed.seconds) };
  runs.push({ seed, formed: when });
  console.log(
    when
      ? `seed ${seed}: an induction head after ${when.step} steps, ${when.seconds} s`
      : `seed ${seed}: no induction head in ${STEPS} steps`,
  );
  curves ??= points.map(({ step, loss, ...scores }) => ({
    step,
    loss: rounded(loss),
    ...Object.fromEntries(Object.entries(scores).map(([name, values]) => [name, all(values)])),
  }));
}
const inTime = runs.filter(({ formed }) => formed && formed.seconds <= SECONDS).length;
console.log(`${inTime} of ${count} seeds have a head of at least ${THRESHOLD} within ${SECONDS} s`);
if (write) {
  const machine = `one thread of ${os.cpus()[0].model}, Node ${process.versions.node}`;
  const list = (/** @type {unknown[]} */ items) =>
    items.map((item) => `    ${JSON.stringify(item)}`).join(',\n');
  writeFileSync(
    new URL('curves.json', import.meta.url),
    `{\n  "machine": ${JSON.stringify(machine)},\n` +
      `  "runs": [\n${list(runs)}\n  ],\n  "points": [\n${list(curves ?? [])}\n  ]\n}\n`,
  );
}
