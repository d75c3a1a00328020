import { DISPOSE } from '../../engine/tensor.js';

/** The members that api.d.ts names; the others are for generate.js. */

export const CACHE = [
  'length',
  'capacity',
  'bytes',
  'tokens',
  'truncate',
  'clear',
  'snapshot',
  'restore',
  'toJSON',
  Symbol.for('nodejs.util.inspect.custom'),
];
/** Of `model.heads`. */
export const HEADS = ['fingerprint', 'scores'];
export const MODEL = [
  'config',
  'info',
  'tokenizer',
  'template',
  'cache',
  'heads',
  'generate',
  'chat',
  'prefill',
  'step',
  'row',
  'rank',
  'lens',
  'ledger',
  'sweep',
  'trace',
  'traceBytes',
  'temperature',
  'setTemperature',
  'intervene',
  'interventions',
  'dispose',
  DISPOSE,
];
