/* The sizes that attention and weights lay their numbers out by. */
#ifndef SIZES_H
#define SIZES_H

enum {
  MAX_DIM = 1024, /* channels of a key or value, at most */
  PANEL = 8,      /* keys, or rows of weights, side by side in a panel */
  TILE4 = 4,      /* rows or inputs of the smaller kernels */
  STREAMS = 2,    /* places in memory that a single row reads at once */
};

#endif
