/** Theme and depth: how a reader wants the page, remembered here. The depth is in the address. */
import { keepPlace } from './place.js';

/** @param {string} name @param {string} value the one that is not written */
function preference(name, value) {
  const { dataset } = document.documentElement;
  const radios = /** @type {NodeListOf<HTMLInputElement>} */ (
    document.querySelectorAll(`input[name="${name}"]`)
  );
  for (const radio of radios) {
    radio.checked = radio.value === (dataset[name] ?? value);
    const apply = () => {
      if (radio.value === value) delete dataset[name];
      else dataset[name] = radio.value;
      document.dispatchEvent(new Event(`${name}change`));
    };
    radio.addEventListener('change', () => {
      keepPlace(apply);
      try {
        if (radio.value === value) localStorage.removeItem(`clearhead-${name}`);
        else localStorage.setItem(`clearhead-${name}`, radio.value);
      } catch {
        // not remembered, where storage is refused
      }
      if (name === 'depth') writeDepth();
    });
  }
}

/** Their values, the first of each where nothing was chosen. */
const CHOICES = { theme: ['auto', 'light', 'dark'], depth: ['look', 'understand', 'doubt'] };

/** Those of the address that have another value, in words. */
export const unknownPreferences = () =>
  [...new URLSearchParams(location.search)].flatMap(([name, value]) => {
    const known = name in CHOICES && CHOICES[/** @type {keyof typeof CHOICES} */ (name)];
    if (!known || known.includes(value)) return [];
    return [`${name} = ${value.slice(0, 40)} is not one of ${known.join(', ')}`];
  });

/** The depth into the address, as the link that it is. */
export function writeDepth() {
  const { depth } = document.documentElement.dataset;
  const url = new URL(location.href);
  if (depth) url.searchParams.set('depth', depth);
  else url.searchParams.delete('depth');
  history.replaceState(history.state, '', url);
}

/** The switches of the masthead. Panels hear “themechange” and “depthchange” on the document. */
export function preferences() {
  for (const [name, [initial]] of Object.entries(CHOICES)) preference(name, initial);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () =>
    document.dispatchEvent(new Event('themechange')),
  );
}
