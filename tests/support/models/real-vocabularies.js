/**
 * Vocabularies and expected encodings of real models, and texts of all kinds. They lie beside this
 * repository; without them: skipped.
 */
import { existsSync, readFileSync } from 'node:fs';
import { openModel } from '../../../src/js/model/files/open.js';
import { openTokenizer } from '../../../src/js/model/text/tokenizer.js';
import { random } from '../random.js';

const shared = new URL('../../../../shared/models/', import.meta.url);
export const skip = existsSync(shared) ? false : 'skipped, not present';
export const open = async (name) => {
  const file = await openModel(new URL(name, shared));
  await file.cancel();
  return { file, tokenizer: await openTokenizer(file) };
};
export const gpt2 = skip ? null : await open('tokenizers/ggml-vocab-gpt-2.gguf');
export const read = (name) => readFileSync(new URL(name, shared), 'utf8');
export const texts = skip
  ? []
  : read('tokenizers/ggml-vocab-gpt-2.gguf.inp').split('\n__ggml_vocab_test__\n');

/** Texts of all kinds of characters, short and in runs. */
export function* randomTexts(seed, count) {
  const r = random(seed);
  const kinds = [
    'a',
    'Z',
    'é',
    'ſ',
    '0',
    '7',
    '½',
    '٣',
    ' ',
    '  ',
    '\n',
    '\r\n',
    '\t',
    '\u00a0',
    '\u0085',
    '\ufeff',
    '\u3000',
    "'s",
    "'RE",
    "'",
    '!',
    '+',
    '<|',
    '我',
    '🙂',
    'ก',
    '\u0301',
    '_',
    '$',
  ];
  for (let i = 0; i < count; i++)
    yield Array.from({ length: r.integer(1, 24) }, () => r.pick(kinds)).join('');
}
