/** Prints the results of tests/engines/everywhere.js with two threads. */
import { everywhere } from '../everywhere.js';

console.log(JSON.stringify(await everywhere(2)));
