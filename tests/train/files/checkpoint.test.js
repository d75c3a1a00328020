/** Checkpoints: everything written is read, and any other bytes are refused. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ClearheadError } from '../../../src/js/index.js';
import { readCheckpoint, writeCheckpoint } from '../../../src/js/train/files/checkpoint.js';
import { sameBits } from '../../support/bits.js';
import { random } from '../../support/random.js';

const r = random(5);
const floats = (count) => Float32Array.from({ length: count }, () => r.normal());
const checkpoint = {
  settings: { config: { vocab: 3, 'é🙂': null }, rate: 0.1, list: [1, 2] },
  steps: 12345678901,
  parameters: Float32Array.of(-0, NaN, Infinity, 1e-45, ...floats(33)),
  firstMoments: floats(37),
  secondMoments: floats(37),
};
const bytes = writeCheckpoint(checkpoint);

const refused = (given) => {
  try {
    readCheckpoint(given);
  } catch (error) {
    if (!(error instanceof ClearheadError)) throw error;
    return error;
  }
  return assert.fail('it was read');
};
const refuses = (given, code, message) => {
  const error = refused(given);
  assert.equal(error.code, code, error.message);
  assert.match(error.message, message);
};
const changed = (change) => {
  const copy = bytes.slice();
  change(new DataView(copy.buffer), copy);
  return copy;
};

/** A checkpoint without parameters, in the layout of docs/training.md. */
function file(text) {
  const content = typeof text === 'string' ? new TextEncoder().encode(text) : text;
  const json = new Uint8Array(Math.ceil(content.length / 8) * 8).fill(0x20);
  json.set(content);
  const all = new Uint8Array(24 + json.length + 8);
  const view = new DataView(all.buffer);
  all.set(new TextEncoder().encode('CLEARTRN'));
  view.setUint32(8, 1, true);
  view.setUint32(12, json.length, true);
  all.set(json, 24);
  let [a, b] = [0x9e3779b9, 0x7f4a7c15];
  for (let at = 0; at < all.length - 8; at += 4) {
    const word = view.getUint32(at, true);
    a = Math.imul(a ^ word, 0x85ebca6b);
    a ^= a >>> 13;
    b = Math.imul(b + word, 0xc2b2ae35);
    b ^= b >>> 16;
  }
  view.setUint32(all.length - 8, a, true);
  view.setUint32(all.length - 4, b, true);
  return all;
}

describe('a written checkpoint is read back', () => {
  test('with every bit, NaN and −0 among them', () => {
    const got = readCheckpoint(bytes);
    sameBits(got, checkpoint);
    assert.deepEqual(got.settings, checkpoint.settings);
    assert.equal(got.steps, checkpoint.steps);
  });

  test('also from the middle of another array, at an odd byte', () => {
    const around = new Uint8Array(bytes.length + 7);
    around.set(bytes, 3);
    sameBits(readCheckpoint(around.subarray(3, 3 + bytes.length)), checkpoint);
  });

  test('a change of the bytes afterwards does not reach what was read', () => {
    const copy = bytes.slice();
    const got = readCheckpoint(copy);
    copy.fill(0);
    sameBits(got, checkpoint);
  });

  test('the file is that of the documented layout', () => {
    const none = new Float32Array();
    const [settings, steps] = [{ a: 1 }, 7];
    assert.deepEqual(
      writeCheckpoint({
        settings,
        steps,
        parameters: none,
        firstMoments: none,
        secondMoments: none,
      }),
      file(JSON.stringify({ settings, steps })),
    );
  });
});

describe('refused by a typed error', () => {
  test('every cut, and every byte more', () => {
    refuses(new Uint8Array(), 'FORMAT', /begins ""; expected "CLEARTRN"/);
    for (let length = 1; length < bytes.length; length++)
      refuses(bytes.subarray(0, length), 'INTEGRITY', /cut off or damaged/);
    refuses(Uint8Array.of(...bytes, 0), 'INTEGRITY', /cut off or damaged/);
  });

  test('every single bit that is flipped', () => {
    for (let at = 0; at < bytes.length * 8; at++) {
      const error = refused(changed((view, copy) => (copy[at >> 3] ^= 1 << (at & 7))));
      assert.match(error.code, /^(FORMAT|INTEGRITY|LIMIT)$/, `bit ${at}`);
    }
  });

  test('two high bits that are flipped, and words that are exchanged', () => {
    const start = bytes.length - 8 - 12 * 37;
    for (let at = start + 8; at < bytes.length - 12; at += 4) {
      const flip = (view, place) =>
        view.setUint32(place, view.getUint32(place, true) ^ (2 ** 31), true);
      refuses(
        changed((view) => (flip(view, start + 4), flip(view, at))),
        'INTEGRITY',
        /checksum/,
      );
    }
    const exchange = (view) => {
      const [x, y] = [view.getUint32(start + 40), view.getUint32(start + 44)];
      view.setUint32(start + 40, y);
      view.setUint32(start + 44, x);
    };
    refuses(changed(exchange), 'INTEGRITY', /checksum/);
  });

  test('another file, a later version, and sizes beyond the limits', () => {
    refuses(
      new TextEncoder().encode('GGUF, or anything else at all'),
      'FORMAT',
      /begins "GGUF, or/,
    );
    refuses(
      changed((view) => view.setUint32(8, 2, true)),
      'FORMAT',
      /is 2; expected 1/,
    );
    refuses(
      changed((view) => view.setUint32(12, 2 ** 20 + 8, true)),
      'LIMIT',
      /1048584 bytes/,
    );
    refuses(
      changed((view) => view.setBigUint64(16, 2n ** 63n, true)),
      'LIMIT',
      /parameters/,
    );
  });

  for (const [name, text, message] of [
    ['settings that are no JSON', '{"settings":{},"steps":0', /not JSON/],
    ['settings that are a list', '{"settings":[],"steps":0}', /an array of 0; expected an object/],
    ['content that is no object', '7', /7; expected an object/],
  ])
    test(name, () => refuses(file(text), 'FORMAT', message));

  test('text that is not UTF-8', () => {
    const odd = Uint8Array.of(0x22, 0xff, 0x22);
    refuses(file(odd), 'FORMAT', /not JSON; expected JSON in UTF-8/);
  });

  for (const steps of [-1, 0.5, 2 ** 53, '1', null])
    test(`steps of ${JSON.stringify(steps)}`, () =>
      assert.match(
        refused(file(JSON.stringify({ settings: {}, steps }))).message,
        /steps of checkpoint/,
      ));

  for (const given of [undefined, null, 'text', {}, new Float32Array(9)])
    test(`${Object.prototype.toString.call(given)} in place of bytes`, () =>
      refuses(given, 'ARG', /checkpoint is .*; expected Uint8Array/));
});
