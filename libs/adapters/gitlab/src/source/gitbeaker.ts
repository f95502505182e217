import { Branches, Projects } from '@gitbeaker/core';
import { createRequesterFn, type ResponseBodyTypes } from '@gitbeaker/requester-utils';
import { type GitLabHttp } from '../http/gitlab-http.js';

/**
 * GitBeaker's typed endpoints over our own requests. Its resources take no signal, so each call creates new ones; they
 * hold no state. Callers validate the responses, because servers may omit fields that GitBeaker's types contain.
 */
export function gitbeaker(http: GitLabHttp, signal: AbortSignal): { projects: Projects; branches: Branches } {
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
  // Disables GitBeaker's limiter and time limit: ours use the response headers and the caller's signal.
  const options = { requesterFn, rateLimits: {}, queryTimeout: null };
  return { projects: new Projects(options), branches: new Branches(options) };
}
