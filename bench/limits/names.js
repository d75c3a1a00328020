/** The names of limits, by which rows of results refer to them. */
export const FUSED = 'fused multiply-add';
export const APART = 'multiply, then add';
export const DOTS = ['8-bit dots', '16-bit dots'];
export const READ = 'read as many bytes';

/** @param {string} limit @param {number} threads */
export const onThreads = (limit, threads) => (threads > 1 ? `${limit}, ${threads} threads` : limit);
