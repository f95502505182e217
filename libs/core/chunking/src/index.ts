export { checkChunkSize } from './chunk-size.js';
export { createChunker, type Chunker } from './chunker.js';
export {
  classifyPath,
  compileFileRules,
  type FileRules,
  type FileRuleSettings,
  type SkipVerdict,
} from './file-rules.js';
export { chunkingFingerprint, rulesFingerprint } from './fingerprint.js';
export { languageOf } from './language.js';
export { readText, type ReadResult } from './read-text.js';
