import { z } from 'zod';
import { invalidResponse, type RequestTarget } from './failure.js';

/** Git object ids of SHA-1 and SHA-256 repositories. */
export const objectId = z.string().regex(/^([0-9a-f]{40}|[0-9a-f]{64})$/, 'expected a full object id');

/** @throws internal `source_answer_invalid` with the name of the wrong field, never with its value. */
export function parseResponse<T>(
  schema: z.ZodType<T>,
  what: string,
  json: unknown,
  target: RequestTarget,
): T {
  const result = schema.safeParse(json);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const path = issue?.path.map(String).join('.') ?? '';
  const field = path === '' ? '' : `, field ${path}`;
  throw invalidResponse(target, `${what}${field}: ${issue?.message ?? 'unexpected shape'}`);
}
