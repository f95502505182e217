import { HttpException } from '@nestjs/common';

/** An error at the level of HTTP: token, role, method, media type or precondition. */
export class HttpProblem extends HttpException {
  constructor(
    status: number,
    readonly code: string,
    detail: string,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(detail, status);
  }
}
