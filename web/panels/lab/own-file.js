/** A model of the reader's own: files that are dropped on the panel, or chosen. */
import { button } from '../../page/controls.js';
import { html, setText } from '../../plot/dom.js';
import { whole } from '../../plot/format.js';

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
 * A line about the reader's model, and the means to open one.
 * @param {HTMLElement} root with its section, on which files may be dropped
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
  const told = html('span', { role: 'status' });
  const back = button('back to the page’s model', () => void restore());
  back.hidden = true;
  const line = html('p', { class: 'look-status lab-model', hidden: true }, told, ' ', back);
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
  );
  /** Where the reader sees it. @param {string} text */
  const tell = (text) => {
    line.hidden = !text;
    setText(told, text);
    if (text) line.scrollIntoView({ block: 'nearest' });
  };
  const restore = async () => {
    tell('');
    await model.restore().catch(({ message }) => tell(`It did not come back. ${message}`));
  };
  model.on(() => (back.hidden = !model.source));
  async function open(/** @type {readonly File[]} */ files) {
    if (!files.length) return;
    const found = modelOf(files);
    if (typeof found === 'string') return tell(found);
    tell(`Reading ${found.name} …`);
    try {
      const { config, info } = await model.replace(found.source, found.name);
      const heads = `${config.layers} layers of ${config.heads} heads`;
      tell(`${found.name}: ${heads}, ${whole(info.parameters)} parameters.`);
    } catch (error) {
      tell(`${found.name} was not opened. ${/** @type {Error} */ (error).message}`);
    }
  }
  input.addEventListener('change', () => {
    void open([...(input.files ?? [])]);
    input.value = '';
  });
  const place = root.closest('section') ?? root;
  for (const type of ['dragenter', 'dragover'])
    place.addEventListener(type, (event) => {
      event.preventDefault();
      root.classList.add('dropping');
    });
  for (const type of ['dragleave', 'drop'])
    place.addEventListener(type, () => root.classList.remove('dropping'));
  place.addEventListener('drop', (event) => {
    event.preventDefault();
    void open([...(event.dataTransfer?.files ?? [])]);
  });
  refuseElsewhere();
  return { element, line, restore };
}

/** A file that is dropped beside the section would take the place of the page. */
function refuseElsewhere() {
  for (const type of /** @type {const} */ (['dragover', 'drop']))
    document.addEventListener(type, (event) => {
      const { dataTransfer, defaultPrevented } = event;
      // words may be dropped into a field
      if (defaultPrevented || !dataTransfer?.types.includes('Files')) return;
      event.preventDefault();
      dataTransfer.dropEffect = 'none';
    });
}
