/** Stands in the place of theory/index.js in a worker, which is asked for no statements. */
import { ClearheadError } from '../errors.js';

export async function load() {
  throw new ClearheadError('ENV', 'statements are not in a worker');
}
