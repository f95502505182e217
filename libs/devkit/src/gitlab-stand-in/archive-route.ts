import { type IncomingHttpHeaders } from 'node:http';
import { type Answer } from '../http/answer.js';
import { notFound, problem } from './api-problem.js';
import { API_SCOPES, commitOfRef, type ProjectCall, type Route } from './route.js';

const CONTENT_TYPES = { 'tar.gz': 'application/octet-stream', tar: 'application/x-tar' };

async function archive(call: ProjectCall, format: 'tar' | 'tar.gz'): Promise<Answer> {
  const { project, query, throttle, settings, caller } = call;
  throttle.checkApplication(
    `archive:${project.id}:${caller.name}`,
    settings.rateLimits.archive,
    'This archive has been requested too many times. Try again later.',
  );
  if (isHotlink(call.headers)) throw problem(406, { message: '406 Not Acceptable' });
  const ref = query.get('sha');
  const commit = await commitOfRef(call, ref, 'File');
  const path = (query.get('path') ?? '').replace(/^\/+|\/+$/g, '');
  const listing = await project.reader.tree(commit);
  if (path !== '' && listing.find(path) === null) throw notFound('File');
  const excludedPaths = (query.get('exclude_paths') ?? '').split(',').filter((excluded) => excluded !== '');
  const topFolder = archiveName(project.path, ref ?? commit, commit, path);
  return {
    status: 200,
    headers: {
      'content-type': CONTENT_TYPES[format],
      'content-disposition': `attachment; filename="${topFolder}.${format}"`,
    },
    body: project.reader.archive(commit, { format, topFolder, path, excludedPaths }),
  };
}

/** Project, ref, commit and folder; a dash replaces each character that a folder name cannot contain. */
function archiveName(projectPath: string, ref: string, commit: string, path: string): string {
  const parts = [projectPath.slice(projectPath.lastIndexOf('/') + 1), ref, commit, path];
  return parts
    .filter((part) => part !== '')
    .map((part) => part.replace(/[^\w.-]+/g, '-'))
    .join('-');
}

/** Source: GitLab's hotlinking_detector. Matches requests of browsers for embedded resources, and Node's fetch by default. */
function isHotlink(headers: IncomingHttpHeaders): boolean {
  const mode = headers['sec-fetch-mode'];
  if (mode === 'cors' || mode === 'no-cors' || mode === 'websocket') return true;
  const firstType = (headers.accept ?? '').split(',', 1)[0]?.trim() ?? '';
  return /^(image|video|audio)\/|^text\/css/.test(firstType);
}

export const archiveRoutes: readonly Route[] = [
  ['archive', 'tar.gz'] as const,
  ['archive.tar.gz', 'tar.gz'] as const,
  ['archive.tar', 'tar'] as const,
].map(([name, format]) => ({
  segments: ['repository', name],
  scopes: API_SCOPES,
  handle: (call) => archive(call, format),
}));
