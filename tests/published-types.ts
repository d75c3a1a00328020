/** The hand-written types and the modules agree. Nothing runs here: compiling is the test. */
import * as modules from '../src/js/index.js';
import type * as published from '../src/js/types.d.ts';

export const agree: typeof published = modules;
