/** Stands in the place of layers/index.js in clearhead/inline. */
import { ClearheadError } from '../errors.js';

export function layers() {
  throw new ClearheadError('ENV', 'layers are not in clearhead/inline; use clearhead/inline/model');
}
