/** A file for `new Worker(new URL(…))`, from which nothing is imported. */
export {};
