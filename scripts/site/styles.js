/** The styles of the page: index.html links to each, and the built page to one file of them all. */
import { join } from 'node:path';

const LINKS = /(?:^<link rel="stylesheet" href="[^"]+">\n)+/m;

/** The lines of index.html that link to its styles. @param {string} page */
export function styleLinks(page) {
  const found = page.match(LINKS);
  if (!found) throw new Error('index.html has no links to styles, expected a line for each');
  return found[0];
}

/**
 * The entry of esbuild that imports the styles, in the order of their links.
 * @param {string} page
 * @param {string} root of the repository
 */
export const styleEntry = (page, root) => ({
  contents: [...styleLinks(page).matchAll(/href="([^"]+)"/g)]
    .map(([, path]) => `@import url('${path}');`)
    .join('\n'),
  loader: /** @type {const} */ ('css'),
  resolveDir: join(root, 'web'),
});
