import { type FileRuleSettings } from './file-rules.js';
import { shortHash } from './hash.js';
import { DEFAULT_RULES_VERSION } from './rules/default-rules.js';
import { type SplitSettings } from './split/text-spans.js';

/** Increase it when equal text would give other chunks: size, overlap, where a cut is best, language table. */
export const SPLITTER_VERSION = 2;

/** Increase it when equal bytes would give another text or another skip reason. */
export const READER_VERSION = 3;

/** Fingerprint of everything that decides the chunks of a file's bytes. Equal in all processes. */
export function chunkingFingerprint({ chunkSize, chunkOverlap }: SplitSettings): string {
  return fingerprintOf(['chunking', SPLITTER_VERSION, READER_VERSION, chunkSize, chunkOverlap]);
}

/** Fingerprint of everything that decides whether a file is indexed. Order and repetition of globs do not matter. */
export function rulesFingerprint(settings: FileRuleSettings & { maxFileBytes: number }): string {
  return fingerprintOf([
    'rules',
    READER_VERSION,
    DEFAULT_RULES_VERSION,
    settings.maxFileBytes,
    normalized(settings.includeGlobs),
    normalized(settings.excludeGlobs),
  ]);
}

function normalized(globs: readonly string[]): string[] {
  return [...new Set(globs)].sort();
}

function fingerprintOf(parts: readonly unknown[]): string {
  return shortHash(JSON.stringify(parts));
}
