/** The addresses of the workers of this package, which errors name. */
import { webPage } from './load.js';

/** @type {WeakMap<object, string>} */
const addresses = new WeakMap();

/** A script in the stack of an error, without line and column. */
const SCRIPT = /https?:\/\/\S*?\.m?js/;

/**
 * Keeps the address of the file that a worker runs. It is found beside the script that calls this,
 * because bundlers take an address that is spelled out for a file to bundle.
 * @template {object} W
 * @param {W} worker
 * @param {string} file
 * @param {Error} here made by that script
 */
export function fromFile(worker, file, here) {
  const script = SCRIPT.exec(here.stack ?? '')?.[0];
  if (script) addresses.set(worker, new URL(file, script).href);
  return worker;
}

/**
 * Why a browser refused a worker. The browser itself gives no reason.
 * @param {object} worker
 */
export async function refusal(worker) {
  const address = addresses.get(worker);
  const response = address ? await fetch(address).catch(() => {}) : undefined;
  if (response && !response.ok) return `${address} was answered with status ${response.status}`;
  if (/^\s*</.test((await response?.text()) ?? '')) return `${webPage(` from ${address}`)} came`;
  return 'it was refused (content security policy, or no such file)';
}
