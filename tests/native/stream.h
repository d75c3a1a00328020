/*
 * Shared by the programs of this folder: the stream on stdin, the answer on stdout, and memory of
 * exact size.
 */
#ifndef STREAM_H
#define STREAM_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline void fail(const char *what)
{
  fprintf(stderr, "%s: %s\n", __BASE_FILE__, what);
  exit(2);
}

static inline void check(int ok, const char *what)
{
  if (!ok)
    fail(what);
}

static inline void read_bytes(void *to, size_t bytes)
{
  check(!bytes || fread(to, 1, bytes, stdin) == bytes, "the stream ends in the middle of a case");
}

static inline void write_bytes(const void *from, size_t bytes)
{
  check(!bytes || fwrite(from, 1, bytes, stdout) == bytes, "cannot write");
}

#if defined(__has_feature)
#define WATCHES_MEMORY __has_feature(memory_sanitizer)
#else
#define WATCHES_MEMORY 0
#endif

/*
 * 16-aligned, as malloc is here. Bytes that are not written show as 0xCD, or to the memory
 * sanitizer.
 */
static inline void *fresh(size_t bytes)
{
  void *p = malloc(bytes);
  check(p != NULL, "out of memory");
  return WATCHES_MEMORY ? p : memset(p, 0xCD, bytes);
}

static inline void *read_fresh(size_t bytes)
{
  void *p = fresh(bytes);
  read_bytes(p, bytes);
  return p;
}

#endif
