/** The word on show while a story is written: no piece of a word that is not whole yet. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Selection } from '../../../web/panels/look/selection.js';
import { newestWord, pieceName, sentence } from '../../../web/panels/look/words.js';
import { launch, missing, opened } from '../site.js';
import { calm, PANEL } from './page.js';
import { Story } from '../../../web/panels/look/writing/story.js';

const HEAD = { layer: 0, head: 0 };
const PIECES = ['', ' He', ' r', 'ub', 'b', 'ed', ' it', ',', ' did', 'n', "'", 't', ' he', '?"'];

/** Adds a token, which puts a share of its own on the token before it. */
function write(story, text) {
  const i = story.tokens.length;
  story.add({ id: i, text });
  const weights = new Float32Array(i + 1);
  weights[i] = i ? 1 / (i + 3) : 1;
  if (i) weights[i - 1] = 1 - weights[i];
  story.record(i, { weights: [{ ...HEAD, weights }], kl: Float32Array.of(0) });
}

const WORDS = [
  '',
  ' Up',
  ' in',
  ' the',
  ' attic',
  '.',
  ' Where',
  '?',
  ' In',
  ' the',
  ' attic',
  '.',
];

const storyOf = (texts) => {
  const story = new Story({ layers: 1, heads: 1, kvHeads: 1 }, 64);
  for (const text of texts) write(story, text);
  return story;
};

describe('the word on show', () => {
  // a page without a first frame
  before(() => {
    globalThis.HTMLElement = class {};
    globalThis.document = {
      querySelector: () => null,
      // the region that announces a locked word
      createElement: () => ({ getAttribute: () => null, setAttribute() {} }),
      body: { appendChild: (element) => element },
    };
    globalThis.window = globalThis;
  });
  after(() => {
    delete globalThis.HTMLElement;
    delete globalThis.document;
    delete globalThis.window;
  });

  /** The word on show after each token. */
  function shown(flows) {
    const story = storyOf([]);
    const state = { head: { value: [0, 0] }, at: { value: -1 }, rest: { value: false } };
    const selection = new Selection(state, { story, playing: flows }, () => {});
    selection.release(flows);
    return PIECES.map((text) => {
      write(story, text);
      return { at: selection.word, name: pieceName(story, selection.word), story };
    });
  }

  test('is no mark of speech, and no part of a word in a script with marks', () => {
    const newest = (...texts) => {
      const story = storyOf(['', ...texts]);
      return pieceName(story, newestWord(story));
    };
    assert.equal(newest(' said', ' ', "'", 'Hello', "'", ' she'), '‘Hello’');
    assert.equal(newest(' the', ' dogs', "'", ' ball'), '‘dogs’');
    assert.equal(newest(' did', 'n', "'", 't', ' he'), "‘t’ in ‘didn't’");
    assert.equal(newest(' नम', 'स्', 'ते', ' x'), '‘ते’ in ‘नमस्ते’');
    assert.equal(newest('?', '!', '"'), '‘"’');
  });

  test('is the newest whole word while the story writes itself', () => {
    const names = shown(true).map(({ name }) => name);
    assert.deepEqual(names.slice(2), [
      ...new Array(4).fill('‘He’'),
      '‘ed’ in ‘rubbed’',
      ...new Array(5).fill('‘it’'),
      "‘t’ in ‘didn't’",
      '‘he’',
    ]);
  });

  test('is the newest token after a step', () => {
    assert.deepEqual(
      shown(false).map(({ at }) => at),
      PIECES.map((_, at) => at),
    );
  });

  /** @typedef {{ words?: string[], over?: boolean, flows?: boolean, phase?: string }} End */

  /**
   * At the end of a story whose second head puts a share on one place, from the word before the
   * last.
   * @param {number} share @param {number} place @param {End} [how]
   */
  function ended(
    share,
    place = 4,
    { words = WORDS, over = true, flows = true, phase = 'over' } = {},
  ) {
    const story = new Story({ layers: 1, heads: 2, kvHeads: 1 }, 64);
    words.forEach((text, i) => {
      story.add({ id: i, text });
      const alike = new Float32Array(i + 1).fill(1 / (i + 1));
      const sharp = alike.map((p, j) => (i === 9 ? (j === place ? share : (1 - share) / i) : p));
      const weights = [alike, sharp].map((row, at) => ({ layer: 0, head: at, weights: row }));
      story.record(i, { weights, kl: Float32Array.of(0, 0) });
    });
    const signal = (first) => {
      const own = { value: first, set: (value) => (own.value = value) };
      return own;
    };
    const state = {
      head: signal([-1, -1]),
      at: signal(-1),
      rest: { value: false },
      T: { value: 1 },
    };
    const writer = { story, phase, over, playing: false, play() {} };
    const selection = new Selection(state, writer, () => {});
    selection.release(flows);
    return selection;
  }
  const onShow = ({ word, head }) => ({ word, head: head.head });

  test('is the one before the last at the end, where a head looks at the same word', () => {
    assert.deepEqual(onShow(ended(0.9)), { word: 9, head: 1 });
    for (const other of [
      ended(0.4),
      ended(0.9, 5),
      ended(0.9, 4, { over: false, phase: 'paused' }),
    ])
      assert.equal(other.word, 10);
    assert.equal(ended(0.9, 4, { flows: false }).word, 11, 'written step by step');
    const chosen = ended(0.9);
    chosen.choose({ layer: 0, head: 0 });
    assert.deepEqual(onShow(chosen), { word: 9, head: 0 }, 'the reader chose a head');
  });

  test('is the same while the text is read at another temperature', () => {
    const selection = ended(0.9);
    assert.equal(selection.word, 9);
    Object.assign(selection.writer, { phase: 'reading' });
    selection.writer.story.row({ layer: 0, head: 1 }, 9).fill(0.1);
    assert.deepEqual(onShow(selection), { word: 9, head: 1 });
    selection.step();
    assert.equal(selection.word, 9, 'there is no next token');
  });

  test('is before the first piece of the last word, which is the same in all pieces', () => {
    const [begins, rest] = [WORDS.slice(0, 4), WORDS.slice(5, 10)];
    const before = [...begins, ' at', 'tic', ...rest.slice(1)];
    assert.equal(before.length, 10);
    const words = (last) => ({ words: [...before.slice(0, 10), ...last, '.'] });
    assert.deepEqual(onShow(ended(0.9, 4, words([' at', 'tic']))), { word: 9, head: 1 });
    for (const last of [[' at'], [' at', 'om'], [' at', 'tic', 's']])
      assert.notEqual(ended(0.9, 4, words(last)).word, 9, last.join('|'));
  });

  test('keeps the head of the end while it is locked, which a link has then', () => {
    const selection = ended(0.9);
    selection.lock(4);
    assert.deepEqual(onShow(selection), { word: 4, head: 1 });
    assert.deepEqual(selection.state.head.value, [0, 1]);
    selection.release();
    assert.deepEqual(selection.state.head.value, [-1, -1]);
    selection.lock(4);
    selection.choose({ layer: 0, head: 0 });
    selection.release();
    assert.deepEqual(selection.state.head.value, [0, 0], 'the choice of the reader stays');
  });

  test('has the head of a text that is read, and not of its beginning', () => {
    const selection = ended(0.9, 4, { over: false, phase: 'reading' });
    const { writer } = selection;
    const { rows } = writer.story;
    writer.story.rows = 1;
    assert.equal(selection.head.head, 0);
    Object.assign(writer, { phase: 'writing' });
    writer.story.rows = rows;
    assert.equal(selection.head.head, 1);
    writer.story.rows = 1;
    assert.equal(selection.head.head, 1, 'and stays with it');
  });

  test('has the share that its sentence tells', () => {
    for (const { at, name, story } of shown(true).slice(3)) {
      const [, told, ...others] = sentence(story, HEAD, at, false);
      assert.equal(told.strong, name);
      const [{ value }] = others.filter((part) => part.value !== undefined);
      assert.equal(value, Math.max(...story.row(HEAD, at)));
    }
  });

  test('is the newest token where a script has no spaces, or no word is near', () => {
    const letters = storyOf(['', ...'wordswithoutanyspace']);
    assert.equal(newestWord(letters), letters.rows - 1);
    const numbers = storyOf(['', ' sum', ...' 1+2+3+4+5=15']);
    assert.equal(newestWord(numbers), numbers.rows - 1);
  });
});

/** In the page: the word on show at each number of tokens, until there are that many. */
const followed = ([panel, until]) =>
  new Promise((done) => {
    const root = document.querySelector(panel);
    const seen = [];
    new MutationObserver((_, observer) => {
      const at = Number(root.querySelector('.look-text').getAttribute('aria-valuenow'));
      seen.push([Number(root.dataset.tokens), at]);
      if (seen.at(-1)[0] < until) return;
      observer.disconnect();
      done(seen);
    }).observe(root, { attributeFilter: ['data-tokens'] });
  });

describe('the word on show in a browser', { skip: missing }, () => {
  let page;
  // the random model of the tests knows these letters
  const fragment = '#look?lookPrompt=and she took.';
  opened((visited) => ({ page } = visited), launch, { panels: ['look'], fragment });

  test('is whole while a new word grows, once “write” is pressed', async () => {
    await calm(page);
    const count = Number(await page.locator(PANEL).getAttribute('data-tokens'));
    const seen = page.evaluate(followed, [PANEL, count + 4]);
    await page.locator(`${PANEL} button.primary`).click();
    const flowing = (await seen).filter(([rows]) => rows > count);
    const tokens = await page.$$eval(`${PANEL} .token`, (all) =>
      all.map(({ textContent: text }) => ({ text })),
    );
    for (const [rows, at] of flowing) assert.equal(at, newestWord({ tokens, rows }));
    assert.ok(flowing.some(([rows, at]) => at < rows - 1));
  });
});
