/** Stands in the place of layers/file.js. */
export { attentionFile as modelFile } from './files.js';
