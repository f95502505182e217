import { z } from 'zod';
import { answerInvalid, type Counterpart } from './failure.js';

/** Git object ids of SHA-1 and SHA-256 repositories. */
export const objectId = z.string().regex(/^([0-9a-f]{40}|[0-9a-f]{64})$/, 'expected a full object id');

/** Fields that depend on the reader's access may be absent. */
export const projectShape = z.object({
  id: z.int().positive(),
  path_with_namespace: z.string().min(1),
  default_branch: z.string().min(1).nullish(),
  empty_repo: z.boolean().nullish(),
  archived: z.boolean().nullish(),
  marked_for_deletion_on: z.string().nullish(),
});

export const projectPageShape = z.array(projectShape);
export const branchPageShape = z.array(z.object({ name: z.string().min(1) }));

export const branchShape = z.object({ commit: z.object({ id: objectId }), web_url: z.string().nullish() });

export const treePageShape = z.array(
  z.object({
    id: objectId,
    path: z.string().min(1),
    type: z.enum(['blob', 'tree', 'commit']),
    mode: z.string().regex(/^\d{6}$/, 'expected a git mode'),
  }),
);

/** @throws internal `source_answer_invalid` saying which field is wrong, never with its value. */
export function shaped<T>(shape: z.ZodType<T>, what: string, json: unknown, from: Counterpart): T {
  const result = shape.safeParse(json);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const field = issue?.path.map(String).join('.') ?? '';
  throw answerInvalid(
    from,
    `${what}${field === '' ? '' : `, field ${field}`}: ${issue?.message ?? 'wrong shape'}`,
  );
}
