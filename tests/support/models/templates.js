/** Chat templates of a tiny model. */
import { runAtOnce } from '../../../src/js/engine/yield.js';
import { openTemplate } from '../../../src/js/model/text/template.js';
import { ggufTokenizer } from '../../../src/js/model/text/tokenizer-gguf.js';
import { tokenizerMetadata } from './tiny-models.js';

export const open = (template) => {
  const metadata = new Map(
    Object.entries({ ...tokenizerMetadata(), 'tokenizer.chat_template': template }),
  );
  return openTemplate({ format: 'gguf', metadata, json: {} }, runAtOnce(ggufTokenizer(metadata)));
};
export const hi = [{ role: 'user', content: 'Hi' }];
export const render = async (template, messages = hi, options) =>
  (await open(template)).render(messages, options);
