/** Changes inside a model, from --intervene and --ablate. */
import { readFile } from 'node:fs/promises';
import { ClearheadError } from '../js/index.js';
import { POINTS } from '../js/model/inside/points.js';
import { numeric } from './numeric.js';

/**
 * @typedef {import('../js/model/api.d.ts').Model} Model
 * @typedef {import('../js/model/api.d.ts').Intervention} Intervention
 *
 * @typedef {object} Changes in their order
 * @property {string | undefined} file
 * @property {Intervention[]} list of the file, not checked
 * @property {ReturnType<typeof gainsOf>} gains
 */

export const CHANGES = `        --intervene FILE.json    changes inside the model, as a list for
                                 model.intervene; "from" of a patch may be
                                 a text
        --ablate L.H             without head H of layer L, counted from 0;
                                 L.H=GAIN multiplies its output instead, and
                                 L.H=mean replaces it by its mean over PROMPT;
                                 may be repeated`;

export const changeOptions = {
  intervene: { type: 'string' },
  ablate: { type: 'string', multiple: true },
};

/**
 * Interventions on heads.
 * @param {string[]} given each as L.H, L.H=GAIN or L.H=mean
 */
const gainsOf = (given) =>
  given.map((text) => {
    const [, layer, head, value = '0'] = /^(\d+)\.(\d+)(?:=(.*))?$/.exec(text) ?? [];
    if (layer === undefined || value === '')
      throw new ClearheadError(
        'ARG',
        `--ablate is "${text.slice(0, 60)}"; expected L.H, as 3.0, or L.H=GAIN, or L.H=mean`,
      );
    /** @type {number | 'mean'} */
    const gain = value === 'mean' ? value : gainOf(text, value);
    return { layer: Number(layer), head: Number(head), gain };
  });

/** @param {string} text of the flag @param {string} value */
function gainOf(text, value) {
  try {
    return numeric('ablate', value);
  } catch {
    throw new ClearheadError(
      'ARG',
      `--ablate is "${text.slice(0, 60)}"; expected a number or mean behind the =`,
    );
  }
}

/**
 * @param {{ intervene?: string, ablate?: string[] }} given
 * @returns {Promise<Changes>}
 */
export async function readChanges({ intervene: file, ablate = [] }) {
  const gains = gainsOf(ablate);
  return { file, list: file === undefined ? [] : await listAt(file), gains };
}

/** The list in a file. @param {string} file @returns {Promise<Intervention[]>} */
async function listAt(file) {
  const name = `--intervene is "${file}"`;
  const text = await readFile(file, 'utf8').catch(
    (/** @type {NodeJS.ErrnoException} */ { code }) => {
      const reason = code === 'ENOENT' ? 'there is no such file' : `${code} to read it`;
      throw new ClearheadError('ARG', `${name}; ${reason}`);
    },
  );
  let list;
  try {
    list = JSON.parse(text);
  } catch (cause) {
    // the reason may have lines of the file
    const reason = String(cause).replace(/\s+/g, ' ');
    throw new ClearheadError('ARG', `${name}, which is no JSON: ${reason}`, { cause });
  }
  if (Array.isArray(list)) return list;
  throw new ClearheadError('ARG', `${name}, whose JSON is no list; expected interventions in [ ]`);
}

/**
 * Makes the changes in a model. Prompts to patch from are read before, without them.
 * @param {Model} model
 * @param {Changes} changes
 * @param {string} [prompt] whose positions a patch without `positions` must have
 */
export async function makeChanges(model, changes, prompt) {
  try {
    const given = [];
    for (const [at, entry] of changes.list.entries())
      given.push(await withTrace(model, entry, `interventions[${at}]`, prompt));
    model.intervene([...given, ...changes.gains]);
  } catch (error) {
    throw named(error, changes, true);
  }
}

/**
 * A patch with the trace of its text. An entry that is wrong stays as it is, to be refused.
 * @param {Model} model
 * @param {Intervention} entry
 * @param {string} name
 * @param {string | undefined} prompt
 * @returns {Promise<Intervention>}
 */
async function withTrace(model, entry, name, prompt) {
  const { patch, layer, from, positions } =
    /** @type {{ patch?: unknown, layer?: unknown, from?: unknown, positions?: unknown }} */ (
      entry ?? {}
    );
  const isLayer = [...Array(model.config.layers).keys()].includes(Number(layer));
  if (typeof from !== 'string' || !isPatch(patch) || !isLayer) return entry;
  try {
    const trace = await model.trace(from, { record: [patch], layers: [Number(layer)] });
    if (positions === undefined && prompt !== undefined) checkLength(model, trace, prompt);
    return {
      // a conversation is of any length
      positions: trace.positions,
      .../** @type {import('../js/model/api.d.ts').PatchIntervention} */ (entry),
      from: trace,
    };
  } catch (cause) {
    if (!(cause instanceof ClearheadError)) throw cause;
    throw new ClearheadError(cause.code, `${name}.from: ${cause.message}`, { cause });
  } finally {
    model.cache.clear();
  }
}

/**
 * Refuses a text with another number of tokens than the prompt, since they stand elsewhere.
 * @param {Model} model
 * @param {import('../js/model/api.d.ts').Trace} trace of the text
 * @param {string} prompt
 */
function checkLength({ tokenizer }, { tokens }, prompt) {
  const length = tokenizer?.encode(prompt).length ?? 0;
  if (tokens.length !== length)
    throw new ClearheadError(
      'SHAPE',
      `a text of ${tokens.length} tokens for a prompt of ${length}; ` +
        `expected ${length}, or positions to patch`,
    );
}

/**
 * @param {unknown} name
 * @returns {name is import('../js/model/api.d.ts').PatchIntervention['patch']}
 */
const isPatch = (name) =>
  typeof name === 'string' && (Object.hasOwn(POINTS, name) || name === 'pattern');

/**
 * An error of the library that says which option it is about.
 * @param {unknown} error
 * @param {Changes} changes
 * @param {boolean} [every] also an error that does not begin with the place of an intervention
 */
export function named(error, { file, list, gains }, every = false) {
  if (!(error instanceof ClearheadError)) return error;
  const [place = '', digits] = /^interventions(?:\[(\d+)\])?/.exec(error.message) ?? [];
  if (!place && !every) return error;
  const ablated = Number(digits) - list.length;
  const message =
    ablated >= 0 && ablated < gains.length
      ? error.message.replace(place, `--ablate[${ablated}]`)
      : `--intervene ${file}: ${error.message}`;
  return new ClearheadError(error.code, message, { cause: error });
}
