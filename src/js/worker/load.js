/** Loads the model of a worker. */
import { init } from '../index.js';
import { loadModel } from '../model/index.js';
import { threadsOfPage } from './host-threads.js';

/**
 * @typedef {Omit<import('./client.d.ts').RemoteLoadOptions, 'onProgress' | 'signal'>} HostOptions
 */

/**
 * The model, and the parts of its description that can be sent.
 * @param {(message: unknown) => void} post
 * @param {import('../model/types.d.ts').ModelSource} source
 * @param {HostOptions & { signal: AbortSignal, onProgress: (progress: unknown) => void }} options
 */
export async function loadHere(post, source, { engine, ...options }) {
  const ch = await init({ ...engine, layers: true, worker: threadsOfPage(post) });
  const model = await loadModel(source, { ...options, engine: ch });
  const { config, info, tokenizer, template } = model;
  const told = {
    config,
    info,
    engine: { ...ch.info },
    hasTemplate: template?.error === null,
    tokenizer: tokenizer && {
      size: tokenizer.size,
      bos: tokenizer.bos,
      addsBos: tokenizer.addsBos,
      ends: tokenizer.ends,
    },
  };
  return { model, told };
}
