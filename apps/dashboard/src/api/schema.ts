import { type components, type paths } from '../../../../clients/typescript/schema.js';

/** The API's shapes, generated from docs/openapi.json. */
export type Schemas = components['schemas'];
export type Execution = Schemas['ExecutionDto'];
export type Status = Schemas['ExecutionStatus'];
export type Role = Schemas['Role'];

type Method = 'get' | 'post' | 'patch' | 'delete';

/** The routes that accept a method. */
export type Route<M extends Method> = {
  [R in keyof paths]: paths[R] extends Record<M, object> ? R : never;
}[keyof paths];

/** The path and query parameters and the body that a route accepts. */
export type Input<M extends Method, R extends Route<M>> = (paths[R][M] extends { parameters: infer P }
  ? Pick<P, keyof P & ('path' | 'query')>
  : never) &
  (paths[R][M] extends { requestBody?: { content: { 'application/json': infer B extends object } } }
    ? { body?: B }
    : { body?: undefined });

/** The JSON that a route returns on success; never where it returns none. */
export type ResponseBody<M extends Method, R extends Route<M>> = paths[R][M] extends { responses: infer A }
  ? A[keyof A & (200 | 201 | 202)] extends { content: { 'application/json': infer B } }
    ? B
    : never
  : never;
