/** Prints the hashes of hashes.js. */
import { hashes } from './hashes.js';

console.log(JSON.stringify(await hashes()));
