/** Functions that run in the page: the library does what a panel does. */

/** It goes on from the prompt with interventions. */
export async function told({ T, interventions, count, file }) {
  const { init, loadModel, PROMPT } = await import('./bundled/library.js');
  const engine = await init({ layers: true, variant: 'simd' });
  const model = await loadModel(new URL(file, document.baseURI), { engine });
  model.intervene([{ temperature: T }, ...interventions]);
  let text = '';
  for await (const token of model.generate(PROMPT, { maxTokens: count })) text += token.text;
  model.dispose();
  return text;
}

/** In the page: the library's chances after each layer and parts of a score, of a word. */
export async function insideOf({ file, at, pair }) {
  const { init, loadModel, PROMPT } = await import('./bundled/library.js');
  const engine = await init({ layers: true, variant: 'simd' });
  const model = await loadModel(new URL(file, document.baseURI), { engine });
  const ids = model.tokenizer.encode(PROMPT);
  let token;
  for await (const next of model.generate(ids, { maxTokens: at + 1 })) {
    if (token !== undefined) ids.push(token);
    ({ token } = next);
  }
  model.cache.clear();
  await model.prefill(ids);
  const { top, probabilities } = await model.lens(ids.length - 1);
  const other = top.at(-1).find((each) => each.token !== token).token;
  const { embedding, heads, feedForward, biases, rounding, rest } = await model.ledger(
    ids.length - 1,
    pair ? [token, other] : token,
  );
  const { layers, vocab } = model.config;
  const chances = top.flatMap(([best], layer) => [
    probabilities[layer * vocab + token],
    best.probability,
  ]);
  const per = heads.length / layers;
  const rows = Array.from(feedForward, (value, layer) => [
    ...heads.subarray(layer * per, (layer + 1) * per),
    value + biases[layer],
  ]);
  model.dispose();
  // a model in floats has no rounding to bytes
  const last = rounding ? [rounding, rest] : [rest];
  return { chances, parts: [embedding, ...rows.flat(), ...last] };
}

/** In the page: the library's story under the lab's first push, at half its strength. */
export async function pushedStory({ file }) {
  const { init, loadModel, PROMPT } = await import('./bundled/library.js');
  const engine = await init({ layers: true, variant: 'simd' });
  const model = await loadModel(new URL(file, document.baseURI), { engine });
  const streams = [];
  for (const text of ['Pickle had a red puppet', 'Pickle had a yellow puppet'])
    streams.push(
      await model.trace(text, { record: ['resid_post'], layers: [3], positions: 'last' }),
    );
  const [there, here] = streams.map(({ resid_post: stream }) => stream);
  const add = there.map((x, c) => x - here[c]);
  model.intervene([{ layer: 3, at: 'resid_post', add, gain: 0.5 }]);
  let text = '';
  for await (const token of model.generate(PROMPT, { maxTokens: 40 })) text += token.text;
  model.dispose();
  return text;
}

/**
 * In the page: drops a file on the heading of the lab, or elsewhere. Without a file's address it
 * has one byte, and without a name it is a text. Returns whether the page took the two events from
 * the browser, which would leave the page.
 */
export async function dropped({ name, file, on = '#lab h2' }) {
  const bytes = file ? await (await fetch(file)).arrayBuffer() : new Uint8Array(1);
  const dataTransfer = new DataTransfer();
  if (name) dataTransfer.items.add(new File([bytes], name));
  else dataTransfer.setData('text/plain', 'some words');
  return ['dragover', 'drop'].map((type) => {
    const event = new DragEvent(type, { bubbles: true, cancelable: true, dataTransfer });
    document.querySelector(on).dispatchEvent(event);
    return event.defaultPrevented;
  });
}
