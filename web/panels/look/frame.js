/**
 * The first frame of the look as HTML, from the numbers of a story. It is there before any script
 * runs. A page's policy may forbid styles in it, so look.css has a class for each shade.
 */
import { headName } from '../../../src/js/model/inside/head-name.js';
import { percent } from '../../plot/format.js';
import { extent, mapPaths, SCALE, shade, SHADES } from './shade.js';
import { foretold, inBits } from './surprise.js';
import { aboutHeads, countOfSharp, HINT, sentence, SHARP, spaced } from './words.js';

/** @typedef {import('./writing/story.js').Story} Story */
/** @typedef {import('./writing/story.js').Head} Head */

/** @param {string} text */
const escape = (text) =>
  text.replace(
    /[&<>"]/g,
    (c) =>
      /** @type {Record<string, string>} */ ({
        '&': '&amp;',
        '<': '&lt;',
        '>': '&gt;',
        '"': '&quot;',
      })[c],
  );

/**
 * @param {Story} story
 * @param {Head} head the one whose row shades the words
 * @param {number} i the word whose row it is
 */
export function firstFrame(story, head, i) {
  const ids = story.tokens.map(({ id }) => id).join(' ');
  const at = `${head.layer} ${head.head}`;
  return [
    `<div class="look-frame" data-tokens="${ids}" data-head="${at}" data-at="${i}">`,
    `<p class="look-hint by-hand"><span class="look-hand"><span class="hover">${HINT.hover}</span>`,
    `<span class="touch">${HINT.touch}</span></span>`,
    `<span class="look-names">${HINT.looks} ${HINT.start}</span></p>`,
    `<p class="look-text">${text(story, head, i)}</p>`,
    '<div class="look-bar"></div><div class="look-below"><div class="look-left">',
    `<p class="look-caption">${aboutHeads(story)}</p>`,
    `<div class="look-wall">${wall(story, head)}</div></div>`,
    `<div class="look-side"><p class="look-said">${marked(sentence(story, head, i, false))}</p>`,
    `<p class="look-count">${countOfSharp(story, i, false)}</p>`,
    `<p class="look-surprise">${marked(foretold(story, i))}`,
    `<span data-depth="understand">${marked(inBits(story, i))}</span></p><p class="tick"></p>`,
    `${board(story, i)}${scale()}</div></div></div>`,
  ].join('\n');
}

/** @param {readonly (string | { strong: string, value?: number })[]} parts of a sentence */
const marked = (parts) =>
  parts
    .map((part) =>
      typeof part === 'string'
        ? escape(part)
        : `<strong${valued(part.value)}>${escape(part.strong)}</strong>`,
    )
    .join('');

/** @param {number | undefined} value */
const valued = (value) => (value === undefined ? '' : ` data-value="${value}"`);

/** @param {Story} story @param {Head} head @param {number} i */
function text(story, head, i) {
  const row = story.row(head, i);
  return story.tokens
    .map((token, j) => {
      const weight = j <= i ? row[j] : 0;
      const level = shade(weight);
      const names = ['token', level && `read w${level}`, j === i && 'here'];
      const value = valued(j <= i ? weight : undefined);
      const name = names.filter(Boolean).join(' ');
      const { space, word } = spaced(token.text);
      const inner = word && `${space}<b>${escape(word)}</b>`;
      return `<span class="${name}"${value}>${inner}</span>`;
    })
    .join('');
}

/** @param {Story} story @param {Head} chosen */
function wall(story, chosen) {
  const size = extent(story.rows);
  const perGroup = story.heads / story.kvHeads;
  const map = (/** @type {Head} */ head) => {
    const paths = mapPaths(story, head)
      .map((d, level) => d && `<path class="w${level}" d="${d}"/>`)
      .join('');
    const pinned = head.layer === chosen.layer && head.head === chosen.head;
    return (
      `<svg class="look-map${pinned ? ' chosen' : ''}" viewBox="0 0 ${size} ${size}" role="img"` +
      ` aria-label="${headName(head, 'long')}">${paths}</svg>`
    );
  };
  const layers = Array.from({ length: story.layers }, (_, layer) => {
    const groups = Array.from({ length: story.kvHeads }, (_, group) => {
      const heads = Array.from({ length: perGroup }, (_, at) =>
        map({ layer, head: group * perGroup + at }),
      );
      return `<span class="look-group">${heads.join('')}</span>`;
    });
    return `<div class="look-layer">${groups.join('')}</div>`;
  });
  return layers.join('\n');
}

/** @param {Story} story @param {number} i */
function board(story, i) {
  const cells = story
    .all()
    .map((head) => {
      const value = story.sharpness(head, i, false);
      const x = head.head * 36;
      const y = head.layer * 24;
      return (
        `<rect class="w${Number.isNaN(value) ? 0 : Math.round(SHADES * value)}" x="${x}" y="${y}"` +
        ` width="35" height="23" data-value="${value}"/>`
      );
    })
    .join('');
  const sharp = story.all().map((head) => percent(story.sharpness(head, i, false)));
  return (
    `<svg class="look-board" viewBox="0 0 ${36 * story.heads} ${24 * story.layers}" role="img"` +
    ` aria-label="How sharply each head looks, layer by layer: ${sharp.join(', ')}">${cells}</svg>`
  );
}

/** The shades of the board, between words for its ends. */
function scale() {
  const boxes = SCALE.boxes.map(
    ({ x, y, width, height }, level) =>
      `<rect class="w${level}" x="${x}" y="${y}" width="${width}" height="${height}"/>`,
  );
  return (
    `<p class="look-scale" aria-hidden="true">${SHARP.none}<svg width="${SCALE.width}"` +
    ` height="${SCALE.height}">${boxes.join('')}</svg>${SHARP.all}</p>`
  );
}
