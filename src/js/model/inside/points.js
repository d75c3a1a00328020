/**
 * The points of a pass that can be recorded and changed. Their names are those of TransformerLens
 * without "hook_" (docs/interventions.md has the table).
 *
 * @typedef {import('../types.d.ts').ModelConfig} ModelConfig
 * @typedef {keyof typeof POINTS} Point
 * @typedef {Point | 'pattern' | 'final_scale'} RecordName
 */
import {
  ATTN_AT_ATTN_OUT,
  ATTN_AT_MLP_OUT,
  ATTN_AT_RESID_MID,
  ATTN_AT_RESID_POST,
  ATTN_AT_RESID_PRE,
  ATTN_AT_Z,
} from '../../engine/constants.js';

/** Arrays of a layer, one row a token, in the order in which a pass comes to them. */
export const POINTS = {
  resid_pre: ATTN_AT_RESID_PRE,
  z: ATTN_AT_Z,
  attn_out: ATTN_AT_ATTN_OUT,
  resid_mid: ATTN_AT_RESID_MID,
  mlp_out: ATTN_AT_MLP_OUT,
  resid_post: ATTN_AT_RESID_POST,
};

/** All that a trace can record. @type {readonly RecordName[]} */
export const RECORDS = [.../** @type {Point[]} */ (Object.keys(POINTS)), 'pattern', 'final_scale'];

/** The numbers of one token at a point. @param {ModelConfig} config @param {Point} name */
export const widthOf = ({ modelDim, heads, headDim }, name) =>
  name === 'z' ? heads * headDim : modelDim;
