import { applyDecorators, createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';
import { type Request } from 'express';
import { ApiProblem } from './api-problem.js';
import { HttpProblem } from './http-problem.js';
import { contextOf } from './request-context.js';

/** A caller's key for a request, which identifies a repetition of it. */
export interface OwnRequestKey {
  caller: string;
  key: string;
}

/** The `Idempotency-Key` of a request; undefined when there is none. */
export const IdempotencyKey = createParamDecorator(
  (_data: unknown, context: ExecutionContext): OwnRequestKey | undefined => {
    const request = context.switchToHttp().getRequest<Request>();
    const key = request.get('idempotency-key');
    const { caller } = contextOf(request);
    if (key === undefined || caller === null) return undefined;
    if (/^[\x21-\x7e]{1,255}$/.test(key)) return { caller: caller.id, key };
    throw new HttpProblem(
      400,
      'idempotency_key_invalid',
      'Idempotency-Key must be 1 to 255 printable characters without spaces, such as a UUID.',
    );
  },
);

/** Documents {@link IdempotencyKey} and the problem for a key that was used for another request. */
export function ApiIdempotencyKey(): MethodDecorator {
  return applyDecorators(
    ApiHeader({
      name: 'Idempotency-Key',
      description:
        'Any text of your own, new for each request: repeated within 24 hours, it gets the same answer.',
      required: false,
      schema: { type: 'string', maxLength: 255, example: '8e03978e-40d5-43dd-bc93-6894a57f9324' },
    }),
    ApiProblem(422, '`idempotency_key_reused`: the key came with another request.'),
  );
}
