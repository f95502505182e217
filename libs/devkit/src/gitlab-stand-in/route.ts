import { type IncomingHttpHeaders } from 'node:http';
import { type Answer } from '../http/answer.js';
import { type Caller, type TokenScope } from './access.js';
import { badParameter, notFound } from './api-problem.js';
import { headOfProject, type ServedProject } from './projects.js';
import { type GitLabSettings } from './settings.js';
import { type Throttle } from './throttle.js';

/** The input of a handler under /projects/:id. */
export interface ProjectCall {
  baseUrl: string;
  method: string;
  /** Decoded path segments of the route's wildcards, without the project's. */
  params: readonly string[];
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  /** Path as sent, for links. */
  path: string;
  caller: Caller;
  project: ServedProject;
  settings: GitLabSettings;
  throttle: Throttle;
}

/** A route for GET or HEAD; there are no others. */
export interface Route {
  /** Segments after `/projects/:id`; `*` stands for one decoded segment. */
  segments: readonly string[];
  scopes: readonly TokenScope[];
  handle(call: ProjectCall): Promise<Answer>;
}

export const API_SCOPES: readonly TokenScope[] = ['api', 'read_api'];

/** The decoded wildcard segments when the route matches, else null. */
export function matchRoute(route: Route, segments: readonly string[]): string[] | null {
  if (route.segments.length !== segments.length) return null;
  const isFitting = route.segments.every((own, index) => own === '*' || own === segments[index]);
  return isFitting ? segments.filter((_, index) => route.segments[index] === '*') : null;
}

/** @throws ApiProblem 400 when the value is not a boolean. */
export function booleanParameter(query: URLSearchParams, name: string, fallback: boolean): boolean {
  const text = query.get(name);
  if (text === null || text === '') return fallback;
  if (/^(true|t|yes|1)$/i.test(text)) return true;
  if (/^(false|f|no|0)$/i.test(text)) return false;
  throw badParameter(`${name} is invalid`);
}

/** Null when the parameter is absent. @throws ApiProblem 400 when the value is not a boolean. */
export function optionalBoolean(query: URLSearchParams, name: string): boolean | null {
  return (query.get(name) ?? '') === '' ? null : booleanParameter(query, name, false);
}

/** @throws ApiProblem 400 when it is not a positive whole number. */
export function positiveParameter(query: URLSearchParams, name: string, fallback: number): number {
  const text = query.get(name);
  if (text === null || text === '') return fallback;
  if (!/^\d+$/.test(text)) throw badParameter(`${name} is invalid`);
  if (Number(text) === 0) throw badParameter(`${name} does not have a valid value`);
  return Number(text);
}

/** @throws ApiProblem 400 when it is missing. */
export function requiredParameter(query: URLSearchParams, name: string): string {
  const text = query.get(name);
  if (text === null) throw badParameter(`${name} is missing`);
  if (text === '') throw badParameter(`${name} is empty`);
  return text;
}

/** The commit of `ref`, or of the default branch when it is absent. @throws ApiProblem 404. */
export async function commitOfRef(call: ProjectCall, ref: string | null, missing: string): Promise<string> {
  const isDefault = ref === null || ref === '' || ref === 'HEAD';
  const commit = isDefault
    ? ((await headOfProject(call.project))?.commit ?? null)
    : await call.project.reader.commitOf(ref);
  if (commit === null) throw notFound(missing);
  return commit;
}
