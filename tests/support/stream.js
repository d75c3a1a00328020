/** Cases as the stream that native/run_cases.c reads, and its answer as results. */
import { spawn } from 'node:child_process';

const stages = { raw: 0, capped: 1, masked: 2 };

/** Collects numbers and arrays as little-endian bytes. */
export class Stream {
  #parts = [];
  #bytes(view) {
    this.#parts.push(Buffer.from(view.buffer, view.byteOffset, view.byteLength));
    return this;
  }
  tag(letter) {
    return this.#bytes(Uint8Array.of(letter.charCodeAt(0)));
  }
  int(...values) {
    return this.#bytes(Int32Array.from(values));
  }
  operation(letter, ...values) {
    return this.int(letter.charCodeAt(0), ...values);
  }
  double(x) {
    return this.#bytes(Float64Array.of(x));
  }
  array(a) {
    return this.#bytes(a);
  }
  /** 1 and the array, or 0. */
  maybe(a) {
    return a ? this.int(1).array(a) : this.int(0);
  }

  /**
   * Shape and options, `m` and `n` found by the caller; `shift`: arrays begin beside the alignment
   * of a vector.
   */
  options(options, m, n, want, shift) {
    const {
      batch = 1,
      heads = 1,
      kvHeads = heads,
      headDim,
      valueDim = headDim,
      layout,
      scale,
      temperature = 1,
      softcap = 0,
      causal,
      offset = 0,
      window = [Infinity, Infinity],
      keyLengths,
      mask,
      keyScale,
      alibi,
      sinks,
      precision,
    } = options;
    this.int(
      shift,
      batch,
      heads,
      kvHeads,
      m,
      n,
      headDim,
      valueDim,
      Number(layout === 'bshd'),
      Number(scale !== undefined),
    );
    if (scale !== undefined) this.double(scale);
    this.double(temperature)
      .double(softcap)
      .int(Number(causal ?? 0), ...window.map((x) => (x === Infinity ? -1 : x)));
    if (typeof offset === 'number') this.int(0, offset);
    else this.int(1, 0).array(offset);
    this.maybe(keyLengths);
    if (mask)
      this.int(
        mask.data instanceof Uint8Array ? 1 : 2,
        ...[1, 1, 1, 1, ...mask.shape].slice(-4),
      ).array(mask.data);
    else this.int(0);
    this.maybe(keyScale)
      .maybe(alibi)
      .maybe(sinks)
      .int(Number(precision === 'int8'));
    const chosen = want.weights;
    if (typeof chosen === 'object') {
      const slots = (size, list) => Int32Array.from({ length: size }, (_, x) => list.indexOf(x));
      this.int(2, chosen.heads.length, chosen.rows.length)
        .array(slots(heads, chosen.heads))
        .array(slots(m, chosen.rows));
    } else this.int(Number(chosen ?? 0));
    this.int(want.scores ? stages[want.scores] : -1, Number(want.stats ?? 0));
    // spans that follow one another are the segments between their ends
    const { spans = [] } = want;
    this.int(spans.length);
    return spans.length ? this.int(spans[0][0], ...spans.map(([, to]) => to)) : this;
  }

  call({ q, k, v, options }, { m, n }, want, shift) {
    this.tag('F')
      .int(Number(q instanceof Float64Array))
      .options(options, m, n, want, shift);
    return this.array(q).array(k).array(v);
  }

  bytes() {
    return Buffer.concat(this.#parts);
  }
}

/** Reads an answer in the order it was asked for. */
export class Answer {
  #bytes;
  #at = 0;
  constructor(bytes) {
    this.#bytes = bytes;
  }
  get rest() {
    return this.#bytes.length - this.#at;
  }
  nextArray(Type, count) {
    const size = count * Type.BYTES_PER_ELEMENT;
    if (size > this.rest) throw new Error(`the answer ends ${size - this.rest} bytes early`);
    const from = this.#bytes.subarray(this.#at, (this.#at += size));
    return new Type(Uint8Array.from(from).buffer);
  }
  int() {
    return this.nextArray(Int32Array, 1)[0];
  }

  /** A result with the arrays that `like`, the same call's result in wasm, has. */
  result(like) {
    const Type = like.output.constructor;
    const one = (a) => a && this.nextArray(a.constructor, a.length);
    const got = { output: this.nextArray(Type, like.output.length) };
    if (like.weights) got.weights = one(like.weights);
    if (like.scores) got.scores = one(like.scores);
    if (like.stats) {
      got.lse = one(like.lse);
      got.stats = {};
      for (const [name, a] of Object.entries(like.stats)) got.stats[name] = one(a);
    }
    if (like.spans) got.spans = one(like.spans);
    return got;
  }
}

/**
 * Feeds a stream to a program; its whole answer. Anything on stderr or another status than 0 is a
 * failure.
 */
export function answerOf(program, stream) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, {
      env: {
        ...process.env,
        ASAN_OPTIONS: 'detect_leaks=1:abort_on_error=0',
        UBSAN_OPTIONS: 'print_stacktrace=1',
      },
    });
    const out = [];
    const errors = [];
    child.stdout.on('data', (chunk) => out.push(chunk));
    child.stderr.on('data', (chunk) => errors.push(chunk));
    child.stdin.on('error', () => {}); // the program died; its status says so
    child.on('error', reject);
    child.on('close', (code) =>
      code === 0 && errors.length === 0
        ? resolve(new Answer(Buffer.concat(out)))
        : reject(new Error(`${program}: status ${code}\n${Buffer.concat(errors)}`)),
    );
    child.stdin.end(stream.bytes());
  });
}
