import { randomUUID } from 'node:crypto';
import { type Answer, jsonAnswer, redirectAnswer } from '../http/answer.js';
import { type StandInRequest } from '../http/stand-in-server.js';
import { type Caller, requireScope, type TokenRegistry } from './access.js';
import { ApiProblem, badParameter, forbidden, notFound, problem, unknownRoute } from './api-problem.js';
import { archiveRoutes } from './archive-route.js';
import { blobRoutes } from './blob-routes.js';
import { compareRoutes } from './compare-route.js';
import { answerGit } from './git-route.js';
import { answerGraphql } from './graphql.js';
import { type OAuthGrants } from './oauth-route.js';
import { listGroupProjects, listProjects } from './project-list.js';
import { projectRoutes } from './project-routes.js';
import { accessTo, type ProjectRegistry, type ServedProject } from './projects.js';
import { API_SCOPES, matchRoute, type Route } from './route.js';
import { type GitLabSettings } from './settings.js';
import { type Throttle } from './throttle.js';
import { treeRoutes } from './tree-route.js';
import { showUser, type StandInUser } from './user-route.js';

export interface GitLabState {
  tokens: TokenRegistry;
  users: ReadonlyMap<number, StandInUser>;
  oauth: OAuthGrants;
  projects: ProjectRegistry;
  settings: GitLabSettings;
  throttle: Throttle;
}

type ApiRequest = StandInRequest<never>;

const PREFIX = '/api/v4';
const ROUTES: readonly Route[] = [
  ...projectRoutes,
  ...treeRoutes,
  ...blobRoutes,
  ...compareRoutes,
  ...archiveRoutes,
];

/** Checks in GitLab's order: general limit, token, route, project, scope, rights, parameters. */
export class GitLabApi {
  constructor(private readonly state: GitLabState) {}

  async answer(request: ApiRequest): Promise<Answer> {
    const general: Record<string, string> = { 'x-request-id': randomUUID() };
    const answer = await this.guarded(async () => {
      Object.assign(general, this.checkThrottle(request));
      return this.route(request);
    });
    return { ...answer, headers: { ...general, ...answer.headers } };
  }

  private async guarded(work: () => Promise<Answer>): Promise<Answer> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof ApiProblem) return error.answer;
      throw error;
    }
  }

  private checkThrottle({ path, headers }: ApiRequest): Record<string, string> {
    const { throttle, settings, tokens } = this.state;
    const { api, files } = settings.rateLimits;
    // The throttle counts each token as one caller, independent of its rights.
    const isKnown = tokens.seen(headers) === 'accepted';
    const caller = isKnown ? (tokens.callerOf(headers).name ?? '') : 'anonymous';
    if (files !== null && path.includes('/repository/files/')) {
      return throttle.checkGeneral('throttle_authenticated_files_api', caller, files);
    }
    const name = isKnown ? 'throttle_authenticated_api' : 'throttle_unauthenticated_api';
    return throttle.checkGeneral(name, caller, api);
  }

  private async route(request: ApiRequest): Promise<Answer> {
    const granted = this.state.oauth.answer(request);
    if (granted !== null) return granted;
    const packed = await answerGit(request, this.state);
    if (packed !== null) return packed;
    if (request.path === '/api/graphql' && request.method === 'POST') return this.graphql(request);
    const segments = request.path.startsWith(`${PREFIX}/`) ? decodeSegments(request.path) : [];
    const listed = await this.list(request, segments);
    if (listed !== null) return listed;
    const [resource, idOrPath, ...rest] = segments;
    if (resource === 'users' && idOrPath !== undefined && rest.length === 0) {
      requireScope(this.state.tokens.callerOf(request.headers), ['read_user', ...API_SCOPES]);
      return showUser(this.state.users, idOrPath);
    }
    if (resource !== 'projects' || idOrPath === undefined || idOrPath === '') throw unknownRoute();
    const caller = this.state.tokens.callerOf(request.headers);
    const match = findRoute(rest);
    if (match === null) throw unknownRoute();
    if (request.method !== 'GET' && request.method !== 'HEAD')
      throw problem(405, { error: '405 Not Allowed' });
    requireScope(caller, match.route.scopes);
    return this.callRoute(request, caller, idOrPath, match);
  }

  /** Routes the listings of projects, of the instance or a group; null for another path. */
  private async list(request: ApiRequest, segments: readonly string[]): Promise<Answer | null> {
    const [resource, idOrPath = '', part] = segments;
    const isOfInstance = resource === 'projects' && segments.length === 1;
    const isOfGroup = resource === 'groups' && part === 'projects' && segments.length === 3;
    if (!isOfInstance && !isOfGroup) return null;
    const { projects, settings, tokens } = this.state;
    const caller = tokens.callerOf(request.headers);
    requireScope(caller, API_SCOPES);
    if (request.method !== 'GET' && request.method !== 'HEAD')
      throw problem(405, { error: '405 Not Allowed' });
    const baseUrl = `http://${request.headers.host ?? '127.0.0.1'}`;
    const { path, query } = request;
    const call = { baseUrl, path, query, caller, projects, settings };
    return isOfInstance ? listProjects(call) : listGroupProjects(call, idOrPath);
  }

  private async callRoute(
    request: ApiRequest,
    caller: Caller,
    idOrPath: string,
    { route, params }: { route: Route; params: string[] },
  ): Promise<Answer> {
    const { settings, throttle } = this.state;
    const baseUrl = `http://${request.headers.host ?? '127.0.0.1'}`;
    const { project, isFormerPath } = this.findProject(idOrPath, caller);
    if (isFormerPath) return redirectToId(request, baseUrl, project);
    if (route.segments.length > 0 && accessTo(project, caller) !== 'code') throw forbidden();
    const { method, path, query, headers } = request;
    return route.handle({
      baseUrl,
      method,
      path,
      query,
      headers,
      params,
      caller,
      project,
      settings,
      throttle,
    });
  }

  private findProject(idOrPath: string, caller: Caller): { project: ServedProject; isFormerPath: boolean } {
    const found = this.state.projects.find(idOrPath);
    // A hidden project and a missing one give the same answer.
    if (found === null || accessTo(found.project, caller) === 'none') throw notFound('Project');
    return found;
  }

  private async graphql(request: ApiRequest): Promise<Answer> {
    const { tokens, projects, settings } = this.state;
    if (tokens.seen(request.headers) === 'rejected')
      return jsonAnswer(401, { errors: [{ message: 'Invalid token' }] });
    const caller = tokens.callerOf(request.headers);
    requireScope(caller, API_SCOPES);
    return answerGraphql(request.body, { caller, projects, settings });
  }
}

function findRoute(segments: readonly string[]): { route: Route; params: string[] } | null {
  for (const route of ROUTES) {
    const params = matchRoute(route, segments);
    if (params !== null) return { route, params };
  }
  return null;
}

function redirectToId(request: ApiRequest, baseUrl: string, project: ServedProject): Answer {
  if (request.method !== 'GET')
    throw problem(405, { message: 'Non GET methods are not allowed for moved projects' });
  const [, , , , , ...rest] = request.path.split('/');
  const search = request.query.size === 0 ? '' : `?${request.query.toString()}`;
  const path = [`${PREFIX}/projects/${project.id}`, ...rest].join('/');
  return redirectAnswer(301, `${baseUrl}${path}${search}`);
}

/** Segments are split before they are decoded, because an encoded slash is part of a name. */
function decodeSegments(path: string): string[] {
  try {
    return path
      .slice(PREFIX.length + 1)
      .split('/')
      .map(decodeURIComponent);
  } catch {
    throw badParameter('The URL is not properly encoded');
  }
}
