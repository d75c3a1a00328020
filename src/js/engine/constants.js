/**
 * The enums of the public headers.
 *
 * Written by scripts/generate.js from the headers in src; npm run format renews it.
 */

// src/include/attn.h
export const ATTN_OK = 0;
export const ATTN_E_SHAPE = 1;
export const ATTN_E_RANGE = 2;
export const ATTN_E_LIMIT = 3;
export const ATTN_E_FORMAT = 4;
export const ATTN_E_INTEGRITY = 5;
export const ATTN_FLOAT = 0;
export const ATTN_INT8 = 1;
export const ATTN_MASK_NONE = 0;
export const ATTN_MASK_SELECT = 1;
export const ATTN_MASK_ADD = 2;
export const ATTN_SCORES_RAW = 0;
export const ATTN_SCORES_CAPPED = 1;
export const ATTN_SCORES_MASKED = 2;
export const ATTN_STAT_N = 0;
export const ATTN_STAT_ENTROPY = 1;
export const ATTN_STAT_KL = 2;
export const ATTN_STAT_SCORE = 3;
export const ATTN_STAT_MAX = 4;
export const ATTN_STAT_ARGMAX = 5;
export const ATTN_STAT_VARIANCE = 6;
export const ATTN_STATISTICS = 7;
export const ATTN_MAX_SEGMENTS = 2048;
export const ATTN_CACHE_F32 = 0;
export const ATTN_CACHE_F16 = 1;
export const ATTN_CACHE_Q8 = 2;

// src/include/decoder.h
export const ATTN_AT_RESID_PRE = 0;
export const ATTN_AT_Q = 1;
export const ATTN_AT_Z = 2;
export const ATTN_AT_ATTN_OUT = 3;
export const ATTN_AT_RESID_MID = 4;
export const ATTN_AT_MLP_OUT = 5;
export const ATTN_AT_RESID_POST = 6;
export const ATTN_EDIT_RECORD = 0;
export const ATTN_EDIT_SCALE = 1;
export const ATTN_EDIT_ADD = 2;
export const ATTN_EDIT_REPLACE = 3;

// src/include/layers.h
export const ATTN_SILU = 0;
export const ATTN_GELU = 1;
export const ATTN_GELU_TANH = 2;

// src/include/team.h
export const ATTN_TEAM_PATIENCE = 1000;
export const ATTN_TEAM_MAX_WAIT = 50;

// src/include/train.h
export const ATTN_IGNORE = -1;
export const ATTN_PARAMETER_EMBEDDING = 0;
export const ATTN_PARAMETER_NORM = 1;
export const ATTN_PARAMETER_Q = 2;
export const ATTN_PARAMETER_K = 3;
export const ATTN_PARAMETER_V = 4;
export const ATTN_PARAMETER_O = 5;
export const ATTN_PARAMETER_FFN_NORM = 6;
export const ATTN_PARAMETER_GATE = 7;
export const ATTN_PARAMETER_UP = 8;
export const ATTN_PARAMETER_DOWN = 9;
export const ATTN_PARAMETER_END_NORM = 10;
export const ATTN_PARAMETER_OUTPUT = 11;
export const ATTN_PARAMETERS = 12;
export const ATTN_HEAD_RHO = 0;
export const ATTN_HEAD_CHI = 1;
export const ATTN_HEAD_PREVIOUS = 2;
export const ATTN_HEAD_INDUCTION = 3;
export const ATTN_HEAD_SCORES = 4;

// src/include/weights.h
export const ATTN_F32 = 0;
export const ATTN_F16 = 1;
export const ATTN_Q4_0 = 2;
export const ATTN_Q4_1 = 3;
export const ATTN_Q5_0 = 6;
export const ATTN_Q5_1 = 7;
export const ATTN_Q8_0 = 8;
export const ATTN_Q4_K = 12;
export const ATTN_Q5_K = 13;
export const ATTN_Q6_K = 14;
export const ATTN_BF16 = 30;
export const ATTN_MULTIPLY_FLOATS = 0;
export const ATTN_MULTIPLY_I16 = 1;
export const ATTN_MULTIPLY_I8 = 2;
export const ATTN_MULTIPLY_KINDS = 3;
