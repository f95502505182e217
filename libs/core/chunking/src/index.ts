export {
  assertSplitSettings,
  CHARACTERS_PER_TOKEN,
  fittingSettings,
  MIN_CHUNK_SIZE,
  tokensOf,
} from './chunk-size.js';
export { createChunker, type Chunker } from './chunker.js';
export {
  classifyPath,
  compileFileRules,
  type FileRules,
  type FileRuleSettings,
  type RuleSources,
} from './file-rules.js';
export { chunkingFingerprint, rulesFingerprint } from './fingerprint.js';
export { contentHashOf, shortHash } from './hash.js';
export { languageOf } from './language.js';
export { languageNamed } from './language-names.js';
export { readText, type ReadResult } from './read-text.js';
export {
  chooseRuleFiles,
  isRuleFile,
  RULE_FILE_NAMES,
  RULE_LIMITS,
  type RuleFile,
} from './rules/rule-file.js';
export { ruleFilesFingerprint, type SkipVerdict } from './rules/tree-rules.js';
export { type SplitSettings } from './text-spans.js';
export {
  screenText,
  secretsFingerprint,
  type ScreenedText,
  type SecretsPolicy,
} from './secrets/screen-text.js';
export { shownPath } from './secrets/screen-path.js';
