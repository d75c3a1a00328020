/**
 * The parts of this folder that inspect uses. Its modules are loaded later, and are given them: no
 * folder imports another one that imports it.
 */
import { checkFits, checkTokens } from './arguments.js';
import { begun, textPrompt } from './prompt.js';
import { createReader } from './reader.js';

export const TOOLS = { begun, checkFits, checkTokens, createReader, textPrompt };
