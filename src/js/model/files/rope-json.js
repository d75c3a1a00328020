import { describe, refuse } from '../../errors.js';
import { anyOf } from './settings.js';
import { ratio } from './values.js';

/**
 * The rotary settings in config.json. Both spellings are understood: `rope_theta` beside
 * `rope_scaling`, and the newer `rope_parameters`. The newer one holds one set for all layers, or
 * one for each kind of layer.
 * @typedef {import('./values.js').Get} Get
 * @typedef {Record<string, any>} Fields of one set
 */

/**
 * Base and scaling of the layers that see everything.
 * @param {Get} get
 * @param {number} theta where none is given
 * @param {number} context
 */
export function ropeOf(get, theta, context) {
  const own =
    parametersOf(get, 'full_attention') ?? settings('rope_parameters', get('rope_parameters'));
  const fields = {
    partial_rotary_factor: get('partial_rotary_factor'),
    ...settings('rope_scaling', get('rope_scaling')),
    ...own,
  };
  return { theta: own.rope_theta ?? get('rope_theta', theta), scaling: scalingOf(fields, context) };
}

/**
 * Base of the layers with a window, which are not scaled.
 * @param {Get} get
 * @param {number} theta where none is given
 */
export function localRopeOf(get, theta) {
  const own = parametersOf(get, 'sliding_attention') ?? {};
  const type = typeOf(own);
  if (type !== 'default' && type !== 'none')
    refuse('FORMAT', 'the rope scaling of layers with a window', describe(type), 'none');
  return own.rope_theta ?? get('rope_local_base_freq', theta);
}

/** The fields of a set. Sections are for images: in a text their positions are the same. */
const KNOWN = anyOf(
  '^rope_theta$ ^(rope_)?type$ ^factor$ ^original_max_position_embeddings$',
  '^partial_rotary_factor$ ^(low|high)_freq_factor$ ^beta_(fast|slow)$ ^attention_factor$',
  '^mscale(_all_dim)?$ ^truncate$ ^mrope_(section|interleaved)$ ^finetuned$',
  // sets of their own, for each kind of layer
  '^(full|sliding)_attention$',
);

/**
 * A set of rotary settings, empty where there is none.
 * @param {string} name
 * @param {unknown} x
 * @returns {Fields}
 */
function settings(name, x = {}) {
  if (typeof x !== 'object' || !x || Array.isArray(x))
    return refuse('FORMAT', name, describe(x), 'an object');
  const fields = /** @type {Fields} */ (x);
  for (const [key, value] of Object.entries(fields))
    if ((value ?? undefined) !== undefined && !KNOWN.test(key))
      refuse('FORMAT', `${key} of ${name}`, describe(value), 'no such setting');
  return fields;
}

/**
 * The set for one kind of layer, if there is one.
 * @param {Get} get
 * @param {string} kind
 */
function parametersOf(get, kind) {
  const own = settings('rope_parameters', get('rope_parameters'))[kind] ?? undefined;
  return own === undefined ? undefined : settings(`${kind} of rope_parameters`, own);
}

/** The kind of scaling; heads must be rotated as a whole. @param {Fields} fields */
function typeOf({ rope_type: type, type: old, factor, partial_rotary_factor: part }) {
  if ((part ?? 1) !== 1) refuse('FORMAT', 'partial_rotary_factor', describe(part), '1');
  const kind = type ?? old ?? undefined;
  if (kind === undefined && (factor ?? 1) !== 1)
    refuse(
      'FORMAT',
      'rope_type',
      'not given',
      `the kind of scaling that the factor ${describe(factor)} is for`,
    );
  return kind ?? 'default';
}

/**
 * @param {Fields} fields
 * @param {number} context
 * @returns {import('../types.d.ts').RopeScaling}
 */
function scalingOf(fields, context) {
  const type = typeOf(fields);
  const factor = ratio(fields.factor, 1);
  const originalContext = fields.original_max_position_embeddings ?? context;
  switch (type) {
    // the dynamic kind changes nothing within max_position_embeddings, which is our context
    case 'default':
    case 'dynamic':
      return { type: 'none' };
    case 'linear':
      return { type, factor };
    case 'llama3':
      return {
        type,
        factor,
        lowFreqFactor: fields.low_freq_factor,
        highFreqFactor: fields.high_freq_factor,
        originalContext,
      };
    case 'yarn':
      return {
        type,
        factor,
        originalContext,
        betaFast: fields.beta_fast ?? 32,
        betaSlow: fields.beta_slow ?? 1,
        truncate: fields.truncate ?? true,
        ...((fields.attention_factor ?? undefined) === undefined
          ? { mscale: fields.mscale ?? 0, mscaleAllDim: fields.mscale_all_dim ?? 0 }
          : { attentionFactor: fields.attention_factor }),
      };
    default:
      return refuse(
        'FORMAT',
        'rope_type',
        describe(type),
        'default, linear, dynamic, llama3 or yarn',
      );
  }
}
