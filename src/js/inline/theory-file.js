/** Stands in the place of theory/file.js. */
import { kernelsOf } from './files.js';

export const theoryFile = () => kernelsOf('theory');
