import { randomBytes } from 'node:crypto';
import { FaultSet } from '../http/faults.js';
import { type RequestRecord, startStandInServer } from '../http/stand-in-server.js';
import { type AccessToken, TokenRegistry, type TokenScope } from './access.js';
import { GitLabApi } from './gitlab-api.js';
import { plainError } from './api-problem.js';
import { OAuthGrants, type StandInGrant } from './oauth-route.js';
import { type AddProjectOptions, ProjectRegistry, type StandInProject } from './projects.js';
import { defaultSettings, type GitLabSettings } from './settings.js';
import { Throttle } from './throttle.js';
import { type StandInUser } from './user-route.js';

export interface GitLabStandInOptions {
  /** Default: a free port. */
  port?: number;
  /** Milliseconds since 1970, for the windows of rate limits and the lifetime of OAuth tokens. Default: the system's clock. */
  now?: () => number;
}

/** A GitLab server over local repositories. It never writes to them. */
export interface GitLabStandIn {
  /** Without a trailing slash; use it as `GITLAB_URL`. */
  readonly url: string;
  /** A token named `default` with the scope `read_api`, generated for this server. */
  readonly token: string;
  /** Oldest first. */
  readonly requests: readonly RequestRecord[];
  readonly faults: FaultSet;
  readonly settings: GitLabSettings;
  /** People by their number. */
  readonly users: Map<number, StandInUser>;
  addProject(options: AddProjectOptions): Promise<StandInProject>;
  /** Returns a project, so that a test can change it. @throws when it does not exist. */
  projectById(id: number): StandInProject;
  /** Adds a group without projects; groups in the paths of projects exist automatically. */
  addGroup(path: string): void;
  /** Renames a project; its former path answers 301 from then on. */
  moveProject(id: number, path: string): void;
  addToken(token: AccessToken): void;
  /** Revokes all tokens of that name at once. */
  endToken(name: string, how: 'expired' | 'revoked'): void;
  /** Grants access to an OAuth application; `settings.oauth` sets the lifetime of its access tokens. Default scope: `read_api`. */
  grantOAuth(name: string, scopes?: readonly TokenScope[]): StandInGrant;
  resetLog(): void;
  /** Ends connections and git processes. Repeating is harmless. */
  stop(): Promise<void>;
}

/**
 * Serves local git repositories as GitLab's REST v4 and GraphQL do, with the same paging, truncation, limits, error formats
 * and content types. Tests can inject faults.
 */
export async function startGitLabStandIn(options: GitLabStandInOptions = {}): Promise<GitLabStandIn> {
  const now = options.now ?? Date.now;
  const tokens = new TokenRegistry(now);
  const projects = new ProjectRegistry();
  const settings = defaultSettings();
  const users = new Map<number, StandInUser>();
  const faults = new FaultSet();
  const requests: RequestRecord[] = [];
  const token = `glpat-${randomBytes(15).toString('base64url')}`;
  tokens.add({ name: 'default', value: token, scopes: ['read_api'] });
  const oauth = new OAuthGrants(tokens, settings, now);
  const api = new GitLabApi({ tokens, users, oauth, projects, settings, throttle: new Throttle(now) });
  const server = await startStandInServer(
    {
      faults,
      record: (record) => requests.push(record),
      tokenSeen: (headers) => tokens.seen(headers),
      answer: (request) => api.answer(request),
      errorAnswer: plainError,
    },
    options.port ?? 0,
  );
  return {
    url: server.url,
    token,
    requests,
    faults,
    settings,
    users,
    addProject: (project) => projects.add(project),
    projectById: (id) => projects.byNumber(id),
    addGroup: (path) => projects.addGroup(path),
    moveProject: (id, path) => projects.move(id, path),
    addToken: (added) => tokens.add(added),
    endToken: (name, how) => tokens.setState(name, how),
    grantOAuth: (name, scopes = ['read_api']) => oauth.add(name, scopes),
    resetLog: () => requests.splice(0),
    stop: async () => {
      await Promise.all([server.stop(), projects.close()]);
    },
  };
}
