import { type INestApplication } from '@nestjs/common';
import { type NestExpressApplication } from '@nestjs/platform-express';
import { SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import { type NextFunction, type Request, type Response } from 'express';
import helmet from 'helmet';
import { type Logger } from '@core/domain';
import { type Config } from '@platform/config';
import { type Tracing } from '@platform/observability';
import { AuditTrail } from '../audit/audit-trail.js';
import { refusalOf } from '../audit/call-facts.js';
import { CONFIG } from '../injection-tokens.js';
import { serveDashboard } from '../dashboard/serve-dashboard.js';
import { answerBrokenRequests } from '../http/broken-request.js';
import { allowedMethods, ProblemFilter } from '../http/problem.filter.js';
import { type Problem } from '../http/problem.js';
import { buildOpenApiDocument } from '../http/openapi.js';
import { requestLog, requestTrace } from '../http/request-context.js';
import { SchemaPipe } from '../http/parameters.js';

export interface HttpOptions {
  logger: Logger;
  /** Absent: requests are not traced. */
  tracing?: Tracing;
}

/**
 * Installs the middleware of all requests: request id and log, security headers, validation, problem details, the
 * dashboard at /, and, unless API_DOCS is off, the API document at /docs and /docs-json. CORS stays off. No middleware reads a body: the guard
 * does, after it has accepted the caller. Call once, before `app.init()` or
 * `app.listen()`.
 */
export function configureHttp(app: INestApplication, options: HttpOptions): void {
  const express = app as NestExpressApplication;
  answerBrokenRequests(express.getHttpServer());
  express.disable('x-powered-by');
  // `ETag` is used for revisions, so Express must not set it to a hash of the body.
  express.set('etag', false);
  const { trustedProxies, showsDocs } = app.get<Config>(CONFIG, { strict: false }).http;
  express.set('trust proxy', [...trustedProxies]);
  if (options.tracing) express.use(requestTrace(options.tracing));
  express.use(requestLog(options.logger), securityHeaders(), serveDashboard());
  express.use('/api', preventCaching);
  app.useGlobalPipes(new SchemaPipe());
  let document: OpenAPIObject | undefined;
  const apiDocument = (): OpenAPIObject => (document ??= buildOpenApiDocument(app));
  app.useGlobalFilters(
    new ProblemFilter(
      options.logger,
      (method, path) => allowedMethods(apiDocument(), { showsDocs })(method, path),
      recordRefusals(app),
    ),
  );
  if (showsDocs)
    SwaggerModule.setup('docs', app, apiDocument, { jsonDocumentUrl: 'docs-json', raw: ['json'] });
}

function recordRefusals(app: INestApplication) {
  const trail = app.get(AuditTrail, { strict: false });
  return (request: Request, thrown: unknown, problem: Problem): void => {
    const record = refusalOf(request, thrown, problem);
    if (record) trail.recordRefusal(record);
  };
}

/** Prevents caching: an answer depends on the time and the caller. */
function preventCaching(_request: Request, response: Response, next: NextFunction): void {
  response.setHeader('Cache-Control', 'no-store');
  next();
}

function securityHeaders() {
  return helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'self'"],
        imgSrc: ["'self'", 'data:'],
        // The page /docs contains an inline style element.
        styleSrc: ["'self'", "'unsafe-inline'"],
        objectSrc: ["'none'"],
        baseUri: ["'none'"],
        formAction: ["'self'"],
        frameAncestors: ["'none'"],
      },
    },
    // TLS is terminated in front of the service, so the proxy decides about HSTS.
    strictTransportSecurity: false,
  });
}
