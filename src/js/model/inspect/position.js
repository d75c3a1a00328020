/** Computes a past position again, and records all layers. */
import { integer } from '../../check.js';
import { describe, refuse } from '../../errors.js';

/**
 * @typedef {import('../run/model.js').Model} Model
 * @typedef {import('../inside/recording.js').RecordName} RecordName
 */

/** @param {Model} model @param {unknown} position */
export function checkPosition({ sequence }, position) {
  if (!sequence.length)
    refuse('RANGE', 'position', describe(position), 'a call after something has been read');
  return integer('position', position, 0, sequence.length - 1);
}

/**
 * The logits and recordings of a past position, with the bits of then.
 * @param {Model} model
 * @param {number} position
 * @param {readonly RecordName[]} names
 */
export function lookAgain(model, position, names) {
  const decoder = model.ready();
  const { sequence, config } = model;
  const { layers, vocab } = config;
  const record = { names, layers: [...Array(layers).keys()], first: 0, count: 1 };
  const logits = new Float32Array(vocab);
  const recorded = decoder.again(
    sequence.token(position),
    { position, layer: layers },
    sequence.length,
    { stats: false, record },
    (pass) => {
      pass.logits(logits);
      return pass.recorded().record;
    },
  );
  return { logits, recorded: /** @type {Record<RecordName, Float32Array>} */ (recorded) };
}
