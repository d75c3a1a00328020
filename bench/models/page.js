/**
 * Whole models in the page, one at a time: ours through `clearhead/worker`, and wllama, from the
 * same file of the same server. The limits of the machine run here too.
 */

let model;

const openers = {
  async clearhead(url, { threads, variant, cacheType, prefill = true }) {
    const { loadModel } = await import('../../src/js/worker/client.js');
    const loaded = await loadModel(url, { engine: { threads, variant }, cacheType });
    const { variant: chosen, threads: count, why } = loaded.engine;
    return {
      about: `${chosen}, ${count} threads${why && ` (${why})`}`,
      position: loaded.cache.bytes / loaded.cache.capacity,
      /** Reads the prompt and goes on; the clock runs here, so that messages count. */
      async run(prompt, count, observe) {
        if (prefill) await loaded.cache.clear();
        const start = performance.now();
        let first = 0;
        let tokens = 0;
        for await (const { token } of loaded.generate(prompt, { maxTokens: count, observe })) {
          first ||= performance.now();
          tokens += Number(token >= 0);
        }
        const end = performance.now();
        const length = loaded.cache.length - tokens + 1;
        return {
          promptTokens: length,
          prefill: (1000 * length) / (first - start),
          decode: tokens > 1 ? (1000 * (tokens - 1)) / (end - first) : null,
        };
      },
      close: () => loaded.dispose(),
    };
  },
  async wllama(url, { threads }) {
    const { Wllama, LoggerWithoutDebug } =
      await import('../node_modules/@wllama/wllama/esm/index.js');
    const wllama = new Wllama(
      {
        default: new URL('../node_modules/@wllama/wllama/esm/wasm/wllama.wasm', import.meta.url)
          .href,
      },
      { suppressNativeLog: true, logger: LoggerWithoutDebug },
    );
    await wllama.loadModelFromUrl(url, {
      n_threads: threads,
      n_gpu_layers: 0,
      n_ctx: 2048,
      n_batch: 512,
      useCache: false,
    });
    return {
      about: `${wllama.getNumThreads()} threads`,
      /** By its own clock, in the worker. */
      async run(prompt, count) {
        const { timings, usage } = await wllama.createCompletion({
          prompt,
          max_tokens: count,
          temperature: 0,
          cache_prompt: false,
          logit_bias: { 2: -100 },
        });
        return {
          promptTokens: timings?.prompt_n ?? usage?.prompt_tokens,
          prefill: timings.prompt_per_second,
          decode: count > 1 ? timings.predicted_per_second : null,
        };
      },
      close: () => wllama.exit(),
    };
  },
  /** As many bytes as the file has, read in order, each thread its share. */
  async limit(url, { threads, bytes }) {
    const share = Math.ceil(bytes / threads / 128) * 128;
    const module = await WebAssembly.compileStreaming(
      fetch(new URL('../../build/bench/limits.simd.wasm', import.meta.url)),
    );
    const readers = await Promise.all(
      Array.from({ length: threads }, () => openReader(module, share)),
    );
    const read = (times) => Promise.all(readers.map((reader) => reader.ask({ times })));
    return {
      about: `${(bytes / 2 ** 20).toFixed(0)} MB, ${threads} threads`,
      async run(prompt, count) {
        await read(1);
        const start = performance.now();
        await read(count);
        return {
          promptTokens: prompt.length,
          prefill: null,
          decode: count > 1 ? (1000 * count) / (performance.now() - start) : null,
        };
      },
      close: () => readers.forEach((reader) => reader.close()),
    };
  },
};

/** A thread with `share` bytes. @param {WebAssembly.Module} module @param {number} share */
async function openReader(module, share) {
  const worker = new Worker(new URL('../limits/worker.js', import.meta.url), { type: 'module' });
  const ask = (message) =>
    new Promise((done) => {
      worker.onmessage = done;
      worker.postMessage(message);
    });
  await ask({ module, bytes: share });
  return { ask, close: () => worker.terminate() };
}

/** @param {'clearhead' | 'wllama'} name @param {string} url @param {any} options */
export async function openModel(name, url, options) {
  const start = performance.now();
  model = await openers[name](url, options);
  return {
    about: model.about,
    position: model.position ?? 0,
    milliseconds: performance.now() - start,
  };
}

/** Reads every byte into the same memory again. @param {string} url */
export async function readModel(url) {
  const reader = (await fetch(url)).body.getReader({ mode: 'byob' });
  let buffer = new ArrayBuffer(2 ** 20);
  let length = 0;
  for (
    let piece;
    !(piece = await reader.read(new Uint8Array(buffer))).done;
    buffer = piece.value.buffer
  )
    length += piece.value.length;
  return length;
}

export const runModel = (...how) => model.run(...how);

export async function closeModel() {
  await model?.close();
  model = undefined;
}
