import { All, Controller, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { type VisibleRepositories } from '@core/domain';
import { type Request as HttpRequest, type Response as HttpResponse } from 'express';
import { AuditTrail } from '../audit/audit-trail.js';
import { factsOf, outcomeOf } from '../audit/call-facts.js';
import { NotAudited } from '../http/audited.js';
import { RequireRole } from '../access/role.js';
import { RequestSignal, Visible } from '../http/parameters.js';
import { HttpProblem } from '../http/problem.js';
import { McpService } from './mcp.service.js';
import { type ToolEnd } from './tool.js';

/** The endpoint of agents. The protocol describes its messages, so it is not in the API document. */
@ApiExcludeController()
@Controller('mcp')
export class McpController {
  constructor(
    private readonly protocol: McpService,
    private readonly trail: AuditTrail,
  ) {}

  @All()
  @RequireRole('viewer')
  @NotAudited()
  async exchange(
    @Req() request: HttpRequest,
    @Res() response: HttpResponse,
    @Visible() visible: VisibleRepositories,
    @RequestSignal() signal: AbortSignal,
  ): Promise<void> {
    assertMethod(request);
    assertOwnOrigin(request);
    const { method, originalUrl } = request;
    const body: unknown = request.body;
    const url = new URL(originalUrl, 'http://repotide.invalid');
    const headers = Object.entries(request.headers).flatMap(([name, value]) =>
      typeof value === 'string' ? [[name, value] as [string, string]] : [],
    );
    const answer = await this.protocol.answer(new Request(url, { method, headers, signal }), body, {
      visible,
      record: (end) => this.record(request, end),
    });
    await send(answer, response);
  }

  private async record(request: HttpRequest, { tool, query, problem, ...shown }: ToolEnd): Promise<void> {
    const queryHash = query === undefined ? null : await this.trail.fingerprint(query).catch(() => null);
    this.trail.record({
      ...factsOf(request),
      ...{ kind: 'read', action: `mcp.${tool}`, subjectType: 'mcp', queryHash },
      ...shown,
      outcome: outcomeOf(problem?.status),
      errorCode: problem?.code ?? null,
    });
  }
}

const METHODS = ['GET', 'POST', 'DELETE'];

/** Those of the protocol. Others, such as TRACE, cannot even be passed on. */
function assertMethod({ method }: HttpRequest): void {
  if (METHODS.includes(method)) return;
  const allow = METHODS.join(', ');
  throw new HttpProblem(405, 'method_not_allowed', `${method} is not supported here; use ${allow}.`, {
    Allow: allow,
  });
}

/** A page of another site may not use the protocol through a browser, as its specification requires. */
function assertOwnOrigin(request: HttpRequest): void {
  const origin = request.get('origin');
  if (origin === undefined || (URL.canParse(origin) && new URL(origin).host === request.host)) return;
  const detail = `Pages of ${origin} may not call this service. Agents send no Origin.`;
  throw new HttpProblem(403, 'foreign_origin', detail);
}

async function send(answer: Response, response: HttpResponse): Promise<void> {
  response.status(answer.status);
  answer.headers.forEach((value, name) => response.setHeader(name, value));
  response.setHeader('Cache-Control', 'no-store');
  // Parts of an event stream are sent at once.
  for await (const part of answer.body ?? []) response.write(part);
  response.end();
}
