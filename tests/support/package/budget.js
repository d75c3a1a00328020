/** Sizes that are promised: a test fails above the limit, and warns above nine tenths of it. */
import assert from 'node:assert/strict';
import { brotliCompressSync } from 'node:zlib';

export const KB = 1024;
const WARNED = 0.9;

/** Of all parts together, each compressed by itself as a server sends it. */
export const brotli = (...parts) =>
  parts.reduce((sum, part) => sum + brotliCompressSync(part).length, 0);

/** @param {import('node:test').TestContext} t @param {string} name */
export function withinBudget(t, name, size, limit) {
  const said = `${name}: ${size} of ${limit} bytes`;
  assert.ok(size <= limit, said);
  t.diagnostic(size > WARNED * limit ? `WARNING ${said}, more than nine tenths` : said);
}
