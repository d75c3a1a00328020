/** Waiting for events without a page: turns of the event loop, and an element in sight. */
import assert from 'node:assert/strict';
import { after, before } from 'node:test';

/** Turns of the event loop after which something will not come any more. */
const PATIENCE = 1e7;

/** @param {() => boolean} holds @param {() => string} [found] for the message */
export async function until(holds, found = () => 'it did not come') {
  for (let i = 0; !holds(); i++) {
    assert.ok(i < PATIENCE, found());
    await new Promise(setImmediate);
  }
}

/** An element that is observed is in the window, and leaves or comes back when this is called. */
export function sight() {
  const { IntersectionObserver } = globalThis;
  let tell = () => {};
  before(() => {
    globalThis.IntersectionObserver = class {
      constructor(listener) {
        tell = (isIntersecting) => listener([{ isIntersecting }]);
      }
      observe() {
        tell(true);
      }
    };
  });
  after(() => (globalThis.IntersectionObserver = IntersectionObserver));
  return (visible) => tell(visible);
}
