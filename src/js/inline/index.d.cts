/** For require: the functions of index.d.ts. */
type Entry = typeof import('./index.js', { with: { 'resolution-mode': 'import' } });

declare const entry: Entry;
export = entry;
