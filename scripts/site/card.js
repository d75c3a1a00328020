/**
 * The card that a link to the page becomes in other programs: its title, its words and a picture.
 * Only their crawlers ask for the picture, and no reader downloads it.
 */

/** A picture of the page, which picture.js takes. */
export const PICTURE = 'share.jpg';

const TAG = `<meta property="og:image" content="${PICTURE}">`;
const ALL = /<meta (?:property="og:image|name="twitter:)[^>]*>\n/g;

/**
 * Many crawlers take only a whole address of a picture, and a static page does not know its own.
 * Without one, the picture's address is relative to the page.
 * @param {string} page @param {string | undefined} address of the folder that the page will be in
 */
export function withAddress(page, address) {
  if (address === undefined) return page;
  if (!/^https?:\/\/.*\/$/.test(address))
    throw new Error(`--address is https://…/, a folder with / at its end, and not ${address}`);
  if (!page.includes(TAG)) throw new Error(`index.html has no ${TAG}`);
  const at = new URL(address);
  const own = `<meta property="og:url" content="${at.href}">`;
  return page.replace(TAG, () => `${own}\n${TAG.replace(PICTURE, new URL(PICTURE, at).href)}`);
}

/** For a page that is one file. @param {string} page */
export const withoutPicture = (page) => page.replace(ALL, '');
