/** What tests/engines/everywhere.js finds with two threads, for whoever started this engine. */
import { everywhere } from '../everywhere.js';

console.log(JSON.stringify(await everywhere(2)));
