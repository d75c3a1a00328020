import * as budget from './budget.js';
import * as estimates from './estimates.js';
import * as gaussian from './gaussian.js';
import * as gibbs from './gibbs.js';
import * as sharing from './sharing.js';

/**
 * The functions of all statements.
 * @type {Record<string, (memory: any, ...values: any[]) => unknown>}
 */
export const FUNCTIONS = { ...budget, ...estimates, ...gaussian, ...gibbs, ...sharing };
