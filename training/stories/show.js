/**
 * Prints stories.
 *
 *   node training/stories/show.js [COUNT] [SEED]
 */
import process from 'node:process';
import { tellStory } from './world/index.js';

const [count = '5', seed = '1'] = process.argv.slice(2);
for (let index = 0; index < Number(count); index++)
  console.log(`${tellStory(Number(seed), index).text}\n\n* * *\n`);
