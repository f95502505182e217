import { Branches, Projects } from '@gitbeaker/core';
import { createRequesterFn, type ResponseBodyTypes } from '@gitbeaker/requester-utils';
import { type GitLabHttp } from './gitlab-http.js';

/**
 * GitBeaker's typed endpoints over our own requests. Its resources take no signal, so each call gets resources of its
 * own; they hold no state. Answers are `unknown` on purpose: GitBeaker's types promise what no server checks.
 */
export function showProject(
  http: GitLabHttp,
  project: number | string,
  signal: AbortSignal,
): Promise<unknown> {
  return new Projects(over(http, signal)).show(project);
}

export function showBranch(
  http: GitLabHttp,
  projectId: number,
  branch: string,
  signal: AbortSignal,
): Promise<unknown> {
  return new Branches(over(http, signal)).show(projectId, branch);
}

function over(http: GitLabHttp, signal: AbortSignal) {
  const requesterFn = createRequesterFn(
    async (_service, options) => options,
    async (endpoint, options) => {
      const query = options?.['searchParams'];
      const { json } = await http.getJson(
        typeof query === 'string' ? `${endpoint}?${query}` : endpoint,
        signal,
      );
      return { body: json as ResponseBodyTypes, headers: {}, status: 200 };
    },
  );
  // No limiter and no time limit of GitBeaker's: ours know the server's answers and the caller's signal.
  return { requesterFn, rateLimits: {}, queryTimeout: null };
}
