/**
 * The types of weights: their number in GGUF, elements per block, bytes per block. Blocks lie along
 * the last axis of a shape.
 *
 * Written by scripts/generate-weight-types.js from src/c/matrix/formats.c by npm run format.
 */
export const TYPES = {
  F32: { id: 0, block: 1, bytes: 4 },
  F16: { id: 1, block: 1, bytes: 2 },
  Q4_0: { id: 2, block: 32, bytes: 18 },
  Q4_1: { id: 3, block: 32, bytes: 20 },
  Q5_0: { id: 6, block: 32, bytes: 22 },
  Q5_1: { id: 7, block: 32, bytes: 24 },
  Q8_0: { id: 8, block: 32, bytes: 34 },
  Q4_K: { id: 12, block: 256, bytes: 144 },
  Q5_K: { id: 13, block: 256, bytes: 176 },
  Q6_K: { id: 14, block: 256, bytes: 210 },
  BF16: { id: 30, block: 1, bytes: 2 },
};
