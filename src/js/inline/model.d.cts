/** For require: the functions of model.d.ts. */
type Entry = typeof import('./model.js', { with: { 'resolution-mode': 'import' } });

declare const entry: Entry;
export = entry;
