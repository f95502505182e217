import { HttpException } from '@nestjs/common';

/** A refusal that HTTP itself knows: token, role, method, media type, precondition. */
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
