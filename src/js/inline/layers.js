/** Replaces layers/index.js in clearhead/inline, which has attention and no layers. */
import { ClearheadError } from '../errors.js';

export function layers() {
  throw new ClearheadError('ENV', 'layers are not in clearhead/inline; use clearhead/inline/model');
}
