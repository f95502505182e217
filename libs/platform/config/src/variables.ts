import { access, content, processes, tuning } from './behaviour.js';
import { embedding, gitlab, reranking, stores } from './connections.js';
import { type ValueOf, type Variable } from './variable.js';

/** Every variable that a Repotide process reads, with its type and description. */
export const variables = {
  ...stores,
  ...embedding,
  ...reranking,
  ...gitlab,
  ...access,
  ...content,
  ...tuning,
  ...processes,
};

export type VariableName = keyof typeof variables;
export type Values = { readonly [K in VariableName]: ValueOf<(typeof variables)[K]> };

/** In the order of the reference, by who sets them. */
export const groups: readonly { title: string; variables: Readonly<Record<string, Variable>> }[] = [
  { title: 'Servers (set at installation)', variables: stores },
  { title: 'Embedding model (set by the owner of the model server)', variables: embedding },
  { title: 'Reranker (optional; set by the owner of the model server)', variables: reranking },
  { title: 'GitLab (set by the owner of the GitLab connection)', variables: gitlab },
  { title: 'Access (set by the security team)', variables: access },
  { title: 'Content (defaults for repositories)', variables: content },
  { title: 'Tuning (the defaults fit most installations)', variables: tuning },
  { title: 'Process (set by the chart)', variables: processes },
];

export const variableEntries = Object.entries(variables) as [VariableName, Variable][];
