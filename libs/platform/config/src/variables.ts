import {
  auth,
  chunking,
  history,
  http,
  lease,
  log,
  oidc,
  reindex,
  schedule,
  secrets,
  service,
  worker,
} from './behaviour.js';
import { embedding, gitlab, postgres, qdrant, redis } from './connections.js';
import { tracing } from './tracing.js';
import { type ValueOf, type Variable } from './variable.js';

/** Every variable that a Repotide process reads: the only place where one is named, typed and described. */
export const variables = {
  ...service,
  ...http,
  ...auth,
  ...oidc,
  ...postgres,
  ...redis,
  ...qdrant,
  ...embedding,
  ...reindex,
  ...gitlab,
  ...chunking,
  ...secrets,
  ...schedule,
  ...worker,
  ...lease,
  ...history,
  ...log,
  ...tracing,
};

export type VariableName = keyof typeof variables;
export type Values = { readonly [K in VariableName]: ValueOf<(typeof variables)[K]> };

/** In the order of the reference. */
export const groups: readonly { title: string; variables: Readonly<Record<string, Variable>> }[] = [
  { title: 'Service', variables: service },
  { title: 'HTTP', variables: http },
  { title: 'Access and secrets', variables: auth },
  { title: 'Single sign-on (OpenID Connect)', variables: oidc },
  { title: 'Postgres', variables: postgres },
  { title: 'Redis', variables: redis },
  { title: 'Vector store', variables: qdrant },
  { title: 'Embeddings', variables: embedding },
  { title: 'Re-index', variables: reindex },
  { title: 'GitLab', variables: gitlab },
  { title: 'Files and chunks', variables: chunking },
  { title: 'Secrets in files', variables: secrets },
  { title: 'Schedules', variables: schedule },
  { title: 'Worker', variables: worker },
  { title: 'Leases', variables: lease },
  { title: 'History', variables: history },
  { title: 'Log', variables: log },
  { title: 'Traces (OpenTelemetry)', variables: tracing },
];

export const variableEntries = Object.entries(variables) as [VariableName, Variable][];
