/**
 * Writes tokenizer.json and tokenizer_config.json into a folder.
 *
 *   node training/stories/tokens/write.js FOLDER
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { TOKENIZER_CONFIG, learnTokenizer } from './tokenizer.js';

const [folder] = process.argv.slice(2);
if (folder) {
  mkdirSync(folder, { recursive: true });
  const files = { 'tokenizer.json': learnTokenizer(), 'tokenizer_config.json': TOKENIZER_CONFIG };
  for (const [name, content] of Object.entries(files))
    writeFileSync(join(folder, name), `${JSON.stringify(content, null, 1)}\n`);
} else {
  console.error('usage: node training/stories/tokens/write.js FOLDER');
  process.exitCode = 2;
}
