/** How often what is random is repeated: a little in `npm test`, much in `npm run test:long`. */
import process from 'node:process';

export const LONG = Boolean(process.env.CLEARHEAD_LONG);

/** @template T @param {T} usual @param {T} long */
export const repeats = (usual, long) => (LONG ? long : usual);
