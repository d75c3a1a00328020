/** Replaces theory/file.js in the single files of dist. */
import { kernelsOf } from './files.js';

export const theoryFile = () => kernelsOf('theory');
