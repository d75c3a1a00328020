/** The sums of weights over spans in one pass. */
import { edgesOf, sumSpans } from '../../attention/spans.js';
import { F32 } from '../../engine/tensor.js';

export class SpanSums {
  #decoder;
  #spans;
  #edges;
  #rows;
  #at;

  /**
   * The decoder has the segments of the spans from now on, until `leave`.
   * @param {import('./decoder.js').Decoder} decoder
   * @param {readonly import('../../attention/spans.js').Span[]} spans
   * @param {number} t tokens of the pass
   * @param {(bytes: number) => number} allocate memory that lives as long as the pass
   */
  constructor(decoder, spans, t, allocate) {
    const { memory, at, config } = decoder;
    this.#decoder = decoder;
    this.#spans = spans;
    this.#edges = edgesOf(spans);
    this.#rows = config.layers * config.heads * t;
    this.#at = allocate(4 * this.#rows * this.#count);
    const place = allocate(this.#edges.byteLength);
    memory.view('int32', place, this.#edges.length).set(this.#edges);
    memory.c.attn_decoder_set_segments(at, place, this.#count);
  }

  /** How many segments there are. */
  get #count() {
    return Math.max(this.#edges.length - 1, 0);
  }

  /** Passes that begin later have no segments. */
  leave() {
    this.#decoder.memory.c.attn_decoder_set_segments(this.#decoder.at, 0, 0);
  }

  /** @param {number} pass that has begun */
  want(pass) {
    this.#decoder.memory.c.attn_pass_want_segments(pass, this.#at);
  }

  /** (layers, heads, t, spans) */
  sums() {
    const segments = this.#decoder.memory.view(F32, this.#at, this.#rows * this.#count);
    const sums = new Float32Array(this.#rows * this.#spans.length);
    sumSpans(segments, this.#edges, this.#spans, sums);
    return sums;
  }
}
