/** Computes a past position again, and records all layers. */
import { integer } from '../../check.js';
import { describe, refuse } from '../../errors.js';

/**
 * @typedef {import('../run/model.js').Model} Model
 * @typedef {import('../inside/recording.js').RecordName} RecordName
 */

/**
 * A position that was read with the interventions of now. With others it would be computed over
 * keys and values that no run has beside it.
 * @param {Model} model which is ready
 * @param {unknown} given
 */
export function checkPosition({ sequence, live }, given) {
  if (!sequence.length)
    refuse('RANGE', 'position', describe(given), 'a call after something has been read');
  const position = integer('position', given, 0, sequence.length - 1);
  if (!sequence.readWith(position, live.now))
    refuse(
      'ARG',
      'position',
      `${position}, which was read with other interventions`,
      'it read again with those of now: clear the cache first',
    );
  return position;
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
