/** Configurations of tiny models, read as a loader reads them. */
import { readConfig } from '../../../src/js/model/files/config.js';
import { openModel } from '../../../src/js/model/files/open.js';
import { matchTensors } from '../../../src/js/model/files/tensors.js';
import { tinyGguf, tinyJson } from './tiny-models.js';

export const load = async (source) => {
  const file = await openModel(source);
  const config = await readConfig(file);
  return { config, tensors: matchTensors(config, file) };
};
export const gguf = async (architecture, metadata, more) =>
  (await load(tinyGguf(architecture, { metadata, ...more }))).config;
export const json = async (architecture, config, more) =>
  (await load(tinyJson(architecture, { config, ...more }))).config;
