import { createHash } from 'node:crypto';
import { v5 as uuidV5 } from 'uuid';
import {
  chunkingFingerprint,
  rulesFingerprint,
  secretsFingerprint,
  type SecretsPolicy,
} from '@core/chunking';
import { type Repository } from '@core/domain';

/** Fixed for ever: another namespace would give every point a new id. Made once with uuidgen. */
const POINT_NAMESPACE = '6f0c9a4e-0d0b-4c57-9d53-2f6c1f3d8a11';

/**
 * The settings that decide what the index of a repository holds. A manifest row or a pointer made under another value
 * is looked at again, even when the commit is the same.
 */
export interface IndexSettings {
  /** Decides the points of a text: chunk size, overlap, splitter version, embedding model, rules about secrets. */
  content: string;
  /** Decides which files are taken: globs, size limit, default rules. */
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
 * One string for the settings and the rule files of the commit, as stored with a manifest row and with the pointer.
 * @param ruleFiles `ruleFilesFingerprint` of them.
 */
export function fingerprintOf(settings: IndexSettings, ruleFiles: string): string {
  return `${settings.content}.${settings.rules}.${ruleFiles}`;
}

/** Whether a stored fingerprint was made under the same settings; rule files follow from the commit. */
export function hasSameSettings(fingerprint: string | null, settings: IndexSettings): boolean {
  return fingerprint?.startsWith(`${settings.content}.${settings.rules}.`) === true;
}

/** Whether a stored fingerprint was made under the same content settings. */
export function hasSameContentSettings(fingerprint: string, settings: IndexSettings): boolean {
  return fingerprint.startsWith(`${settings.content}.`);
}

/** What all points of one file were made from: equal versions hold equal points. */
export function fileVersionOf(blobSha: string, fingerprint: string): string {
  const content = fingerprint.slice(0, fingerprint.indexOf('.'));
  return `${blobSha}.${content}`;
}

/**
 * UUIDv5 of (repository, path, file version, chunk index): writing the same piece again replaces the same point, and a
 * late writer with an older version can never overwrite a newer one.
 */
export function pointId(repositoryId: string, path: string, fileVersion: string, chunkIndex: number): string {
  return uuidV5([repositoryId, path, fileVersion, chunkIndex].join('\0'), POINT_NAMESPACE);
}

/** Ancestor folders of a path, nearest last: `a/b/c.ts` gives `['a', 'a/b']`. */
export function directoriesOf(path: string): string[] {
  const parts = path.split('/').slice(0, -1);
  return parts.map((_, depth) => parts.slice(0, depth + 1).join('/'));
}

function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
