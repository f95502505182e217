import { parse as bytesOfUuid, v5 as uuidV5 } from 'uuid';
import {
  chunkingFingerprint,
  rulesFingerprint,
  secretsFingerprint,
  shortHash,
  type SecretsPolicy,
} from '@core/chunking';
import { type Repository } from '@core/domain';

/** Never changes: another namespace would change every point id. Made with uuidgen. */
const POINT_NAMESPACE = bytesOfUuid('6f0c9a4e-0d0b-4c57-9d53-2f6c1f3d8a11');

/**
 * Hashes of the settings that decide what the index of a repository contains. A manifest row or pointer with other
 * settings is checked again, even at the same commit.
 */
export interface IndexSettings {
  /** Decides the points of a text: chunk size, overlap, splitter version, embedding model, secrets policy. */
  content: string;
  /** Decides which files are indexed: globs, size limit, default rules. */
  rules: string;
}

export function indexSettingsOf(
  repository: Repository,
  modelId: string,
  secretsPolicy: SecretsPolicy,
): IndexSettings {
  const parts = [chunkingFingerprint(repository), modelId, secretsFingerprint(secretsPolicy)];
  return { content: shortHash(parts.join('\0')), rules: rulesFingerprint(repository) };
}

/**
 * The settings and the commit's rule files as one string; stored with manifest rows and the pointer.
 * @param ruleFiles their `ruleFilesFingerprint`.
 */
export function fingerprintOf(settings: IndexSettings, ruleFiles: string): string {
  return `${settings.content}.${settings.rules}.${ruleFiles}`;
}

/** Whether a stored fingerprint has the same settings; the rule files depend on the commit alone. */
export function hasSameSettings(fingerprint: string | null, settings: IndexSettings): boolean {
  return fingerprint?.startsWith(`${settings.content}.${settings.rules}.`) === true;
}

/** Whether a stored fingerprint has the same content settings. */
export function hasSameContentSettings(fingerprint: string, settings: IndexSettings): boolean {
  return fingerprint.startsWith(`${settings.content}.`);
}

/** Identifies the content of a file's points: equal versions have equal points. */
export function fileVersionOf(blobSha: string, fingerprint: string): string {
  const content = fingerprint.slice(0, fingerprint.indexOf('.'));
  return `${blobSha}.${content}`;
}

/**
 * UUIDv5 of (repository, path, file version, chunk index): writing a chunk again replaces the same point, and a late
 * writer with an older version cannot overwrite a newer one.
 */
export function pointId(repositoryId: string, path: string, fileVersion: string, chunkIndex: number): string {
  // Bytes, because uuid encodes a text character by character.
  const name = Buffer.from([repositoryId, path, fileVersion, chunkIndex].join('\0'));
  return uuidV5(name, POINT_NAMESPACE);
}

/** Ancestor folders of a path, nearest last: `a/b/c.ts` gives `['a', 'a/b']`. */
export function directoriesOf(path: string): string[] {
  const parts = path.split('/').slice(0, -1);
  return parts.map((_, depth) => parts.slice(0, depth + 1).join('/'));
}
