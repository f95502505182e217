/**
 * True for `npm run test:long`, which runs the long form of a few tests: every fault at every endpoint, a repository of
 * 5,000 files and 50 MB, a new embedding model on both vector stores, 240,000 ticks. `npm test` runs a fixed sample with the same code.
 */
export const isLongForm = process.env['LONG_TESTS'] === '1';
