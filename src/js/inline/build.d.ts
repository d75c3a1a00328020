/** The modules that scripts/bundle.js makes. */

declare module 'clearhead:kernels' {
  /** The streams of one wasm file after the other, packed by LZMA and written in base64. */
  const kernels: {
    packed: string;
    /** Where the streams of each file begin among the unpacked bytes, and how many each has. */
    files: Record<string, { at: number; streams: number[] }>;
  };
  export default kernels;
}

/** The text of engine/thread.js as a classic script. */
declare module 'clearhead:thread' {
  const text: string;
  export default text;
}

/** The function that dist/clearhead-model.min.js is. */
declare const clearheadCode: () => unknown;

/** The part of a worker that runs that function. Not there in a page. */
declare var clearheadRole: 'host' | 'attention' | undefined;
