/**
 * Measures the built page in Chromium, and prints a line for each: the first picture without
 * JavaScript, the first contentful paint and the time until the page is alive, bytes, long tasks,
 * memory, and tokens a second. The processor is as it is or four times slower, the network fast or
 * slow 4G. Alive: the kernels have answered, and the rows on show are those of the model. On a busy
 * machine the times of the processor count.
 *
 *   npm run site && npm run page:measure [-- --interactions 1000] [--tasks] [--minutes 10]
 *
 * With --tasks it measures only those: while the model writes, while a panel is built, and while
 * each thing is dragged or pressed. --slowdown 4 and --panels lab,born choose some of them. With
 * --minutes it lets the model write for so long, and tells its memory every minute. With
 * --interactions it measures only the memory, before and after drags and presses in all panels.
 */
import { availableParallelism, cpus, loadavg } from 'node:os';
import process from 'node:process';
import { chromium } from 'playwright-core';
import { host, sent } from './measure/host.js';
import { interact } from './measure/interactions.js';
import { memoryOf } from './measure/memory.js';
import { open, openPlain, panelsOf } from './measure/open.js';
import { build, drag, goOn, press, write } from './measure/tasks.js';

/** @param {string} name */
function text(name) {
  const at = process.argv.indexOf(name);
  return at < 0 ? undefined : process.argv[at + 1];
}
/** @param {string} name @param {number} otherwise */
const option = (name, otherwise) => Number(text(name) ?? otherwise);
const INTERACTIONS = option('--interactions', 0);
const MINUTES = option('--minutes', 0);
const SLOWDOWN = option('--slowdown', 0);
const PANELS = text('--panels')?.split(',');
const WRITING = 8000;
const WARM = 200;
const ENOUGH = 1000;

const kilobytes = (bytes) => `${(bytes / 1000).toFixed(1)} kB`;
const megabytes = (value) => `${value.toFixed(2)} MB`;
const round = (value) => `${Math.round(value)} ms`;
const told = ({ over, processor, clock }) =>
  `longest task ${round(processor)} of processor time (${round(clock)} by the clock), ` +
  `${over} over 50 ms`;
const remembered = ({ heap, workers, buffers, nodes, listeners }) =>
  `heap ${megabytes(heap)}, workers ${megabytes(workers)} and ${megabytes(buffers)} of buffers; ` +
  `${nodes} nodes, ${listeners} listeners`;

async function times(browser, url) {
  const plain = await openPlain(browser, url);
  console.log(
    `without JavaScript: first picture ${round(plain.first)}, ${plain.words} words and ` +
      `${plain.maps} maps, ${kilobytes(plain.bytes)}`,
  );
  for (const slowdown of [1, 4])
    for (const slow of [false, true]) {
      const { page, first, kernels, rows, processor } = await open(browser, url, {
        slowdown,
        slow,
      });
      console.log(
        `processor ÷${slowdown}, ${slow ? 'slow 4G' : 'no network limit'}: first contentful ` +
          `${round(first)}, alive ${round(Math.max(kernels, rows))} (kernels ${round(kernels)}), ` +
          `processor time ${round(processor)}, ${kilobytes(sent.page)} and ` +
          `${kilobytes(sent.model)} of model in ${sent.files} files`,
      );
      await page.close();
    }
}

async function tasks(browser, url) {
  for (const slowdown of SLOWDOWN ? [SLOWDOWN] : [1, 4]) {
    const { page } = await open(browser, url, { slowdown });
    const writing = await write(browser, page, WRITING);
    console.log(`processor ÷${slowdown}:`);
    console.log(
      `  the model writes: ${told(writing)}; the page says ${writing.median} tokens a second, ` +
        `${writing.best} at best; ${Math.round(writing.ofWorker)} a second of the worker’s ` +
        `processor time, ${Math.round(writing.ofPage)} of the page’s`,
    );
    const ids = await panelsOf(page);
    for (const id of ids) console.log(`  build ${id}: ${told(await build(browser, page, id))}`);
    console.log(`  every panel: ${kilobytes(sent.page)} without the model`);
    for (const id of ids.filter((each) => !PANELS || PANELS.includes(each)))
      for (const [name, act] of Object.entries({ drag, press })) {
        const { count, worst, ...found } = await act(browser, page, id);
        if (count)
          console.log(`  ${name} in ${id}, ${count} things: ${told(found)}; longest: “${worst}”`);
      }
    await page.close();
  }
}

/** The first round loads and keeps what is loaded and kept once. */
async function memory(browser, url, count) {
  const { page, protocol } = await open(browser, url);
  const remember = await memoryOf(protocol);
  for (const [name, times] of Object.entries({ 'first ': WARM, '': count })) {
    const missed = await interact(page, times);
    console.log(
      `memory after the ${name}${times} interactions: ${remembered(await remember())}; ` +
        `${missed} more found their thing covered`,
    );
  }
  await page.close();
}

async function minutes(browser, url) {
  const { page, protocol } = await open(browser, url);
  const remember = await memoryOf(protocol);
  await page.getByText('as fast as it can').click();
  for (let minute = 0; minute <= MINUTES; minute++) {
    const until = Date.now() + (minute ? 60000 : 5000);
    while (Date.now() < until) {
      await goOn(page);
      await page.waitForTimeout(100);
    }
    console.log(`minute ${minute} of writing: ${remembered(await remember())}`);
  }
  await page.close();
}

const server = await host();
const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
try {
  console.log(
    `Chromium ${browser.version()}, ${cpus()[0]?.model}, ${availableParallelism()} processors, ` +
      `load ${loadavg()[0].toFixed(1)}`,
  );
  if (MINUTES) await minutes(browser, server.url);
  else if (INTERACTIONS) await memory(browser, server.url, INTERACTIONS);
  else if (process.argv.includes('--tasks')) await tasks(browser, server.url);
  else {
    await times(browser, server.url);
    await tasks(browser, server.url);
    await memory(browser, server.url, ENOUGH);
  }
} finally {
  await browser.close();
  server.close();
}
