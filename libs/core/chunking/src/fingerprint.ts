import { createHash } from 'node:crypto';
import { type FileRuleSettings } from './file-rules.js';
import { DEFAULT_RULES_VERSION } from './rules/default-rules.js';
import { type SplitSettings } from './text-spans.js';

/** Raise it when equal text would give other chunks: separators, language table, merging, trimming, the splitter. */
export const SPLITTER_VERSION = 1;

/** Raise it when equal bytes would give another text or another reason to skip. */
export const READER_VERSION = 1;

/** 64 bits: collisions matter only between the few settings that one repository ever had. */
const FINGERPRINT_LENGTH = 16;

/** Names what decides the chunks of a file's bytes: settings and versions of the code. Stable across processes. */
export function chunkingFingerprint({ chunkSize, chunkOverlap }: SplitSettings): string {
  return fingerprintOf(['chunking', SPLITTER_VERSION, READER_VERSION, chunkSize, chunkOverlap]);
}

/**
 * Names what decides whether a file is indexed at all. The order of globs and repeated globs change nothing, so they
 * do not change it either.
 */
export function rulesFingerprint(
  settings: FileRuleSettings & {
    maxFileBytes: number;
  },
): string {
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
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, FINGERPRINT_LENGTH);
}
