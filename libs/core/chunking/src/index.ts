// read/ makes text of bytes, split/ cuts text into chunks, rules/ says which paths are indexed, and secrets/ finds what must not
// be: one file for each form in which a secret is written, so it has more files than the other folders.
export {
  assertSplitSettings,
  CHARACTERS_PER_TOKEN,
  fittingSettings,
  MIN_CHUNK_SIZE,
  tokensOf,
} from './split/chunk-size.js';
export { createChunker } from './split/chunker.js';
export { classifyPath, compileFileRules, type FileRules } from './file-rules.js';
export { chunkingFingerprint, rulesFingerprint } from './fingerprint.js';
export { contentHashOf, shortHash } from './hash.js';
export { languageOf } from './language.js';
export { languageNamed } from './language-names.js';
export { readText } from './read/read-text.js';
export {
  chooseRuleFiles,
  isRuleFile,
  RULE_FILE_NAMES,
  RULE_LIMITS,
  type RuleFile,
} from './rules/rule-file.js';
export { ruleFilesFingerprint } from './rules/tree-rules.js';
export { type SplitSettings } from './split/text-spans.js';
export { screenText, secretsFingerprint, shownPath, type SecretsPolicy } from './secrets/screen-text.js';
