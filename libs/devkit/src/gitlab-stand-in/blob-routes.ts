import { createHash } from 'node:crypto';
import { type GitTreeEntry, shownByGitLab } from '../git/tree.js';
import { type Answer, jsonAnswer } from '../http/answer.js';
import { badParameter, notFound } from './api-problem.js';
import { rawAnswer } from './raw-content.js';
import { API_SCOPES, commitOfRef, type ProjectCall, requiredParameter, type Route } from './route.js';
import { type TokenScope } from './access.js';

/** The JSON endpoints rate-limit larger blobs separately. Source: GitLab's blob_helpers. */
const LARGE_BLOB_BYTES = 10 * 1024 * 1024;

async function blobContent(call: ProjectCall, sha: string, missing: string): Promise<Buffer> {
  const object = await call.project.reader.blob(sha);
  if (object === null) throw notFound(missing);
  return object.content;
}

async function showBlob(call: ProjectCall): Promise<Answer> {
  const [sha = ''] = call.params;
  const content = await blobContent(call, sha, 'Blob');
  checkLargeBlob(call, content.length);
  return jsonAnswer(200, {
    size: content.length,
    encoding: 'base64',
    content: content.toString('base64'),
    sha,
  });
}

async function showRawBlob(call: ProjectCall): Promise<Answer> {
  return rawAnswer(await blobContent(call, call.params[0] ?? '', 'Blob'));
}

interface LocatedFile {
  ref: string;
  commit: string;
  entry: GitTreeEntry;
}

async function locateFile(call: ProjectCall, ref: string): Promise<LocatedFile> {
  const [path = ''] = call.params;
  if (path.split('/').some((part) => part === '..' || part === '.')) {
    throw badParameter('file_path should be a valid file path');
  }
  const commit = await commitOfRef(call, ref, 'Commit');
  const entry = (await call.project.reader.tree(commit)).find(path);
  if (entry?.type !== 'blob') throw notFound('File');
  return { ref, commit, entry: { ...entry, path: shownByGitLab(entry.path) } };
}

async function fileMetadata(call: ProjectCall, file: LocatedFile, content: Buffer) {
  const { entry, commit, ref } = file;
  return {
    file_name: entry.path.slice(entry.path.lastIndexOf('/') + 1),
    file_path: entry.path,
    size: content.length,
    encoding: 'base64',
    content_sha256: createHash('sha256').update(content).digest('hex'),
    ref,
    blob_id: entry.sha,
    commit_id: commit,
    last_commit_id: await call.project.reader.lastCommitOf(commit, entry.path),
    execute_filemode: entry.mode === '100755',
  };
}

/** Turns `file_path` into `X-Gitlab-File-Path`, and so on. */
function metadataHeaders(metadata: object): Record<string, string> {
  const entries = Object.entries(metadata).map(([key, value]) => {
    // A header carries bytes: UTF-8 is unchanged, control characters (a path may contain a line break) are escaped.
    const bytes = Buffer.from(String(value)).toString('latin1');
    return [`x-gitlab-${key.replaceAll('_', '-')}`, bytes.replace(/\p{Cc}/gu, encodeControl)];
  });
  return Object.fromEntries(entries) as Record<string, string>;
}

function encodeControl(character: string): string {
  const code = character.charCodeAt(0);
  // A byte above 0x7f is the tail of a UTF-8 sequence, not a control character.
  return code > 0x7f ? character : encodeURIComponent(character);
}

async function showFile(call: ProjectCall): Promise<Answer> {
  const file = await locateFile(call, requiredParameter(call.query, 'ref'));
  const content = await blobContent(call, file.entry.sha, 'File');
  if (call.method === 'GET') checkLargeBlob(call, content.length);
  const metadata = await fileMetadata(call, file, content);
  return jsonAnswer(200, { ...metadata, content: content.toString('base64') }, metadataHeaders(metadata));
}

async function showRawFile(call: ProjectCall): Promise<Answer> {
  const file = await locateFile(call, call.query.get('ref') ?? 'HEAD');
  const content = await blobContent(call, file.entry.sha, 'File');
  return rawAnswer(content, metadataHeaders(await fileMetadata(call, file, content)));
}

function checkLargeBlob(call: ProjectCall, sizeBytes: number): void {
  if (sizeBytes <= LARGE_BLOB_BYTES) return;
  call.throttle.checkApplication(`large_blobs:${call.project.id}`, call.settings.rateLimits.largeBlobs);
}

/** The only endpoints for a token with `read_repository` alone. */
const FILE_SCOPES: readonly TokenScope[] = [...API_SCOPES, 'read_repository'];

export const blobRoutes: readonly Route[] = [
  { segments: ['repository', 'blobs', '*'], scopes: API_SCOPES, handle: showBlob },
  {
    segments: ['repository', 'blobs', '*', 'raw'],
    scopes: API_SCOPES,
    handle: showRawBlob,
  },
  { segments: ['repository', 'files', '*'], scopes: FILE_SCOPES, handle: showFile },
  { segments: ['repository', 'files', '*', 'raw'], scopes: FILE_SCOPES, handle: showRawFile },
];
