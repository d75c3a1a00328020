/** Errors for calls that come while a model does something else. */
import { ClearheadError } from '../../errors.js';

/** For calls that would change the cache of a text. */
export const writing = () =>
  new ClearheadError(
    'BUSY',
    'the model is generating a text; ' +
      'expected one at a time (end it with return() or an AbortSignal)',
  );

/** For calls that would read or change the cache of other work. */
export const atWork = () =>
  new ClearheadError(
    'BUSY',
    'the model is at work (a trace, a sweep, scores, a fingerprint or a ranking); ' +
      'expected a call afterwards',
  );

/** For calls in the middle of a pass. */
export const midway = () =>
  new ClearheadError(
    'BUSY',
    'the model is in the middle of a token; expected a call between two tokens',
  );
