import * as budget from './budget.js';
import * as estimates from './estimates.js';
import * as gaussian from './gaussian.js';
import * as gibbs from './gibbs.js';
import * as sharing from './sharing.js';

/**
 * The functions of all statements.
 * @typedef {import('./memory.js').TheoryMemory} TheoryMemory
 * @type {Record<string, (memory: TheoryMemory, ...values: any[]) => unknown>}
 */
export const FUNCTIONS = { ...budget, ...estimates, ...gaussian, ...gibbs, ...sharing };
