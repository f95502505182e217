import {
  Body,
  Param,
  ParseUUIDPipe,
  SetMetadata,
  type ArgumentMetadata,
  type PipeTransform,
} from '@nestjs/common';
import { ApiBody, ApiHeader, ApiParam } from '@nestjs/swagger';
import { type Request, type Response } from 'express';
import { type z } from 'zod';
import { RepotideError, type Scope } from '@core/domain';
import { ApiProblem } from './api-route.js';
import { fieldsOf } from './model.js';
import { HttpProblem, InvalidRequest, invalidFields } from './problem.js';
import { contextOf, fromRequest } from './request-context.js';

/** Checks the argument of a route against the schema of its decorator, as in `@Body({ schema })`: {@link Given}. */
export class SchemaPipe implements PipeTransform {
  /** @throws InvalidRequest that lists every invalid field. */
  transform(value: unknown, metadata: ArgumentMetadata): unknown {
    const schema = metadata.schema as z.ZodType | undefined;
    if (!schema) return value;
    const isOptional = metadata.type !== 'body' || optionalBodies.has(schema);
    const result = schema.safeParse(value ?? (isOptional ? {} : undefined), { reportInput: true });
    if (result.success) return fieldsOf(result.data as object);
    throw invalidFields(result.error.issues);
  }
}

/** A parameter that also documents itself on its route. */
function documented(parameter: ParameterDecorator, ...docs: MethodDecorator[]): ParameterDecorator {
  return (target, name, index) => {
    parameter(target, name, index);
    const handler = Object.getOwnPropertyDescriptor(target, name!)!;
    for (const document of docs) document(target, name!, handler);
  };
}

const optionalBodies = new WeakSet<z.ZodType>();

/** A body that may be left out, since all its fields have defaults. */
export function OptionalBody(schema: z.ZodType): ParameterDecorator {
  optionalBodies.add(schema);
  return documented(Body({ schema }), ApiBody({ required: false }));
}

/** The row that a route is about, for the check of the caller's scope. */
export interface RouteSubject {
  of: string;
  /** Describes the parameter in the path. */
  name: string;
}
export const SUBJECT_METADATA = 'repotide:subject';

/** Marks routes that answer only what is in the scope of the caller. Any other route needs a caller without a scope. */
export const SCOPED_METADATA = 'repotide:scoped';
export const Scoped = () => SetMetadata(SCOPED_METADATA, true);

/** The repositories that the caller may see, which limit everything that the route reads or changes; null: all. */
export function Visible(): ParameterDecorator {
  return documented(VisibleOfRequest(), Scoped());
}

/** Marks routes about projects that are not registered yet, whose members are therefore unknown. */
export const BY_SCOPE_METADATA = 'repotide:by-scope';

/** The scope of the caller, for a route that checks a project which is not registered yet. */
export function CallerScope(): ParameterDecorator {
  return documented(ScopeOfRequest(), Scoped(), SetMetadata(BY_SCOPE_METADATA, true));
}

const ScopeOfRequest = fromRequest((request): Scope => {
  const { caller } = contextOf(request);
  return caller ? caller.scope : [];
});

const VisibleOfRequest = fromRequest((request) => contextOf(request).visible);

/** A UUID in the path, with its 404. Any other value is a 400, without a database query. @param of the kind of row. */
export function IdParam(of: string, name = 'id'): ParameterDecorator {
  const refuse = () => new InvalidRequest([{ field: name, message: `${name} must be a UUID.` }]);
  return documented(
    Param(name, new ParseUUIDPipe({ exceptionFactory: refuse })),
    ApiParam({ name, description: `Id of the ${of}.`, schema: { type: 'string', format: 'uuid' } }),
    ApiProblem(404, `There is no such ${of}, or it was deleted.`),
    SetMetadata(SUBJECT_METADATA, { of, name } satisfies RouteSubject),
  );
}

/** A name in the path. @param unknown describes the 404 of its routes. */
export function NameParam(description: string, pattern: RegExp, unknown: string): ParameterDecorator {
  const schema = { type: 'string' as const, pattern: pattern.source };
  return documented(Param('name'), ApiParam({ name: 'name', description, schema }), ApiProblem(404, unknown));
}

/** The revision of the `If-Match` header; undefined when there is none, or when it accepts any revision. */
export function ExpectedRevision(
  description = 'Change it only if it still has this `ETag`.',
  refusal = '`revision_mismatch`: it was changed since.',
): ParameterDecorator {
  const schema = { type: 'string' as const, pattern: '^("\\d{1,15}"|\\*)$', example: '"3"' };
  return documented(
    IfMatch(),
    ApiHeader({ name: 'If-Match', description, required: false, schema }),
    ApiProblem(412, refusal),
  );
}

const IfMatch = fromRequest((request): number | undefined => {
  const header = request.get('if-match')?.trim();
  if (header === undefined || header === '*') return undefined;
  const [, digits] = /^"(\d{1,15})"$/.exec(header) ?? [];
  if (digits !== undefined) return Number(digits);
  const detail =
    'If-Match must be the ETag of an earlier answer: the revision in double quotes, such as "3".';
  throw new HttpProblem(400, 'if_match_invalid', detail);
});

/** A caller's key for a request, which identifies a repetition of it. */
export interface OwnRequestKey {
  caller: string;
  key: string;
}

const KEY = /^[\x21-\x7e]{1,255}$/;

/** The `Idempotency-Key` of the request; undefined when there is none. */
export function IdempotencyKey(): ParameterDecorator {
  const schema = {
    type: 'string' as const,
    maxLength: 255,
    pattern: KEY.source,
    example: '8e03978e-40d5-43dd-bc93-6894a57f9324',
  };
  const description =
    'Any text of your own, new for each request: repeated within 24 hours, it gets the same answer.';
  return documented(
    RequestKey(),
    ApiHeader({ name: 'Idempotency-Key', description, required: false, schema }),
    ApiProblem(422, '`idempotency_key_reused`: the key came with another request.'),
  );
}

const RequestKey = fromRequest((request): OwnRequestKey | undefined => {
  const key = request.get('idempotency-key');
  const { caller } = contextOf(request);
  if (key === undefined || caller === null) return undefined;
  if (KEY.test(key)) return { caller: caller.id, key };
  const detail = 'Idempotency-Key must be 1 to 255 printable characters without spaces, such as a UUID.';
  throw new HttpProblem(400, 'idempotency_key_invalid', detail);
});

// Below the usual 60 s timeout of ingress controllers, so that the client gets our answer instead of theirs.
const REQUEST_TIMEOUT_MS = 30_000;

/** An `AbortSignal` that fires when the client disconnects, or after 30 s. Pass it to every external call. */
export const RequestSignal = fromRequest(signalOf);

function signalOf({ method }: Request, response: Response): AbortSignal {
  const controller = new AbortController();
  const stop = (kind: 'temporary' | 'cancelled', code: string, message: string): void =>
    controller.abort(new RepotideError(kind, code, message));
  const timer = setTimeout(() => {
    const message = `The request did not end within ${REQUEST_TIMEOUT_MS / 1000} s and was stopped. Try again.`;
    stop('temporary', 'request_timeout', message);
  }, REQUEST_TIMEOUT_MS);
  response.once('close', () => {
    clearTimeout(timer);
    if (!response.writableEnded) stop('cancelled', 'client_gone', `The client of ${method} disconnected.`);
  });
  return controller.signal;
}

/** Refuses an edit without changes: it would only increase the revision, so it is probably a mistake. */
export function someChange<T extends object>(changes: T): T {
  if (Object.keys(changes).length > 0) return changes;
  throw new HttpProblem(400, 'nothing_to_change', 'Give at least one field to change.');
}
