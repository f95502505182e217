import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { type NextFunction, type Request, type Response } from 'express';
import { HttpProblem } from '../http/problem.js';

interface DashboardFile {
  type: string;
  content: Buffer;
  compressed: Buffer;
  entityTag: string;
}

/** The build puts the dashboard here. Without a build, as in tests, the folder does not exist. */
const DIRECTORY = new URL('../../../dashboard/', import.meta.url);
const PAGE = 'index.html';
const TYPES = {
  [PAGE]: 'text/html; charset=utf-8',
  'dashboard.js': 'text/javascript; charset=utf-8',
  'highlight.js': 'text/javascript; charset=utf-8',
  'manage.js': 'text/javascript; charset=utf-8',
  'style.css': 'text/css; charset=utf-8',
  'icon.svg': 'image/svg+xml',
};

/** Stricter than the policy of /docs: no inline code, no other origin, no HTML from strings. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ');

/**
 * Serves the dashboard at `/` and `/assets/<name>`. The files need no token; the API, which has the data, does. File
 * names are the same in all versions and files are revalidated, so that during an upgrade a page can load its parts from
 * another pod.
 */
export function serveDashboard() {
  const files = loadFiles();
  return (request: Request, response: Response, next: NextFunction): void => {
    const name = nameOf(request);
    if (name === null) next();
    else if (files === null) next(notBuilt());
    else {
      const file = files.get(name);
      if (file) send(file, request, response);
      else next();
    }
  };
}

/** Files are read only once, because they are few and small. @returns null when the dashboard is not built. */
function loadFiles(): ReadonlyMap<string, DashboardFile> | null {
  try {
    return new Map(
      Object.entries(TYPES).map(([name, type]) => {
        const content = readFileSync(new URL(name, DIRECTORY));
        const entityTag = `"${createHash('sha256').update(content).digest('base64url')}"`;
        return [name, { type, content, compressed: gzipSync(content), entityTag }];
      }),
    );
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

function nameOf({ method, path }: Request): string | null {
  if (method !== 'GET' && method !== 'HEAD') return null;
  if (path === '/') return PAGE;
  const name = /^\/assets\/([\w.-]+)$/.exec(path)?.[1];
  return name === undefined || name === PAGE ? null : name;
}

function send(file: DashboardFile, request: Request, response: Response): void {
  response.setHeader('Content-Security-Policy', CONTENT_SECURITY_POLICY);
  response.setHeader('Cache-Control', 'no-cache');
  response.setHeader('ETag', file.entityTag);
  response.setHeader('Vary', 'Accept-Encoding');
  if (request.get('if-none-match') === file.entityTag) {
    response.status(304).end();
    return;
  }
  response.setHeader('Content-Type', file.type);
  if (request.acceptsEncodings('gzip') === 'gzip') {
    response.setHeader('Content-Encoding', 'gzip');
    response.end(file.compressed);
  } else response.end(file.content);
}

function notBuilt(): HttpProblem {
  return new HttpProblem(503, 'dashboard_not_built', 'The dashboard is not built. Run "npm run build".');
}
