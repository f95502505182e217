import { type NextFunction, type Request, type Response } from 'express';
import { HttpProblem } from '../http/http-problem.js';
import { type DashboardFile, type DashboardFileName, loadDashboard } from './dashboard-files.js';

const PAGE: DashboardFileName = 'index.html';

/** Stricter than what the document page needs: nothing inline, nothing foreign, no HTML made from text. */
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
 * Answers `/` and `/assets/<name>` with the dashboard and passes everything else on. The files are open; what they
 * show comes from the API, which asks for a token. Names stay the same over versions and are revalidated, so that a
 * page of one pod finds its parts at another during an upgrade.
 */
export function serveDashboard(files = loadDashboard()) {
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
  return new HttpProblem(503, 'dashboard_not_built', 'The dashboard was not built: run "npm run build".');
}
