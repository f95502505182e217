import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { type Request, type Response } from 'express';
import { RepotideError } from '@core/domain';

// Below the usual 60 s timeout of ingress controllers, so that the client gets our answer instead of theirs.
const REQUEST_TIMEOUT_MS = 30_000;

/** An `AbortSignal` that fires when the client disconnects, or after 30 s. Pass it to every external call. */
export const RequestSignal = createParamDecorator(
  (_data: unknown, context: ExecutionContext): AbortSignal => {
    const http = context.switchToHttp();
    return signalOf(http.getRequest<Request>(), http.getResponse<Response>());
  },
);

function signalOf(request: Request, response: Response): AbortSignal {
  const controller = new AbortController();
  const timer = setTimeout(() => {
    controller.abort(
      new RepotideError(
        'temporary',
        'request_timeout',
        `The request took longer than ${REQUEST_TIMEOUT_MS / 1000} s and was given up. Try again.`,
      ),
    );
  }, REQUEST_TIMEOUT_MS);
  response.once('close', () => {
    clearTimeout(timer);
    if (!response.writableEnded) {
      controller.abort(
        new RepotideError('cancelled', 'client_gone', `The client of ${request.method} left.`),
      );
    }
  });
  return controller.signal;
}
