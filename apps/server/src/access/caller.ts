import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { type Request } from 'express';
import { contextOf } from '../http/request-context.js';

/** The caller's name; stored as `requested_by`. */
export const CallerName = createParamDecorator((_data: unknown, context: ExecutionContext): string | null => {
  return contextOf(context.switchToHttp().getRequest<Request>()).caller?.name ?? null;
});
