/** Prints the hashes of the stories, the tokenizer and the first batches. */
import { hashes } from './hashes.js';

console.log(JSON.stringify(await hashes()));
