/** Minifies with terser what esbuild has minified. This gives fewer bytes than esbuild alone. */
import { minify } from 'terser';

/**
 * No function is moved into its callers, as that could change the speed.
 * @param {string} script
 * @param {import('terser').MinifyOptions} [options]
 */
export async function smaller(script, options) {
  const { code = '' } = await minify(script, {
    ecma: 2020,
    compress: { inline: 0 },
    ...options,
  });
  return code;
}
