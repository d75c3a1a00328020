/** A model of the reader's own: files that are dropped on the panel, or chosen. */
import { html, setText } from '../../plot/dom.js';

/** @typedef {import('../../page/model.js').SharedModel} SharedModel */

/** @typedef {import('../../../src/js/model/types.d.ts').ModelSource} ModelSource */

/**
 * The files of one model, or the reason why they are none.
 * @param {readonly File[]} files
 * @returns {{ source: ModelSource, name: string } | string}
 */
export function modelOf(files) {
  const named = (/** @type {RegExp} */ name) => files.find((file) => name.test(file.name));
  const ggufs = files.filter(({ name }) => /\.gguf$/i.test(name));
  if (ggufs.length === 1) return { source: ggufs[0], name: ggufs[0].name };
  if (ggufs.length) return 'These are several GGUF files. Give one.';
  const weights = files.filter(({ name }) => /\.safetensors$/i.test(name));
  if (!weights.length)
    return (
      `${files[0]?.name ?? 'This'} is no model. ` +
      'Give a GGUF file, or safetensors with their JSON files.'
    );
  const config = named(/^config\.json$/);
  const tokenizer = named(/^tokenizer\.json$/);
  if (!config || !tokenizer) {
    const missing = config ? 'tokenizer.json' : 'config.json';
    return `Beside safetensors a model needs ${missing}. Give all its files at once.`;
  }
  return {
    source: {
      weights,
      config,
      tokenizer,
      tokenizerConfig: named(/^tokenizer_config\.json$/),
      generationConfig: named(/^generation_config\.json$/),
    },
    name: weights[0].name,
  };
}

/**
 * @param {HTMLElement} root on which files may be dropped
 * @param {SharedModel} model
 */
export function ownFile(root, model) {
  const input = html('input', {
    type: 'file',
    id: 'lab-file',
    class: 'visually-hidden',
    multiple: true,
    accept: '.gguf,.safetensors,.json',
  });
  const told = html('p', { class: 'look-status', role: 'status' });
  const element = html(
    'div',
    { class: 'lab-file' },
    input,
    html('label', { for: 'lab-file', class: 'quiet' }, 'Open a model of your own'),
    html(
      'p',
      { class: 'look-key' },
      'GGUF, or safetensors with their JSON files. Or drop them here. They stay on this machine.',
    ),
    told,
  );
  async function open(/** @type {readonly File[]} */ files) {
    if (!files.length) return;
    const found = modelOf(files);
    if (typeof found === 'string') return setText(told, found);
    setText(told, `Reading ${found.name} …`);
    try {
      const { config, info } = await model.replace(found.source, found.name);
      const heads = `${config.layers} layers of ${config.heads} heads`;
      setText(told, `${found.name}: ${heads}, ${info.parameters.toLocaleString('en')} parameters.`);
    } catch (error) {
      setText(told, `${found.name} was not opened. ${/** @type {Error} */ (error).message}`);
    }
  }
  input.addEventListener('change', () => {
    void open([...(input.files ?? [])]);
    input.value = '';
  });
  for (const type of ['dragenter', 'dragover'])
    root.addEventListener(type, (event) => {
      event.preventDefault();
      root.classList.add('dropping');
    });
  for (const type of ['dragleave', 'drop'])
    root.addEventListener(type, () => root.classList.remove('dropping'));
  root.addEventListener('drop', (event) => {
    event.preventDefault();
    void open([...(event.dataTransfer?.files ?? [])]);
  });
  return element;
}
