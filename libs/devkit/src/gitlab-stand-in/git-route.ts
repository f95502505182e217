import { runBackend } from '../git-server/http-backend.js';
import { type Answer, textAnswer } from '../http/answer.js';
import { type StandInRequest } from '../http/stand-in-server.js';
import { type Caller, type TokenRegistry } from './access.js';
import { accessTo, type ProjectRegistry } from './projects.js';
import { type GitLabSettings } from './settings.js';

interface GitState {
  tokens: TokenRegistry;
  projects: ProjectRegistry;
  settings: GitLabSettings;
}

const READING_SCOPES: readonly string[] = ['api', 'read_api', 'read_repository'];

/** Serves a project's repository by git's smart HTTP protocol, with git's own server. Null for another path. */
export async function answerGit(request: StandInRequest<never>, state: GitState): Promise<Answer | null> {
  const [, path, service] = /^\/(.+)\.git(\/info\/refs|\/git-upload-pack)$/.exec(request.path) ?? [];
  if (path === undefined || service === undefined) return null;
  const { tokens, projects, settings } = state;
  if (!settings.git.isEnabled) return textAnswer(403, 'Git access over HTTP is not allowed');
  const caller = tokens.seen(request.headers) === 'rejected' ? null : tokens.callerOf(request.headers);
  const found = projects.find(decodeURIComponent(path));
  const access = found === null || caller === null ? 'none' : accessTo(found.project, caller);
  // A caller without a token cannot see whether the project exists.
  if (caller === null || (caller.name === null && access !== 'code')) return unauthorized();
  if (found === null || access === 'none')
    return textAnswer(404, 'The project you were looking for could not be found.');
  if (access !== 'code' || !mayRead(caller))
    return textAnswer(403, 'You are not allowed to download code from this project.');
  return runBackend(found.project.reader.gitDirectory, service, request, settings.git.hasFilters);
}

function mayRead({ name, scopes }: Caller): boolean {
  return name === null || scopes.some((scope) => READING_SCOPES.includes(scope));
}

function unauthorized(): Answer {
  const answer = textAnswer(401, 'HTTP Basic: Access denied.');
  return { ...answer, headers: { ...answer.headers, 'www-authenticate': 'Basic realm="GitLab"' } };
}
