/** Loaded on demand. Not `yaml` itself: the bundler gives a CommonJS package that is imported on demand no named exports. */
export { isMap, isSeq, LineCounter, parse, parseAllDocuments, stringify, type Document } from 'yaml';
