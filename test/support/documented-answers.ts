import { readFileSync } from 'node:fs';
import { type INestApplication } from '@nestjs/common';
import { type OpenAPIObject } from '@nestjs/swagger';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { type NextFunction, type Request, type Response } from 'express';

/** A test of the document makes sure that it is what the code describes. */
const DOCUMENT = new URL('../../docs/openapi.json', import.meta.url);

/** Statuses that any route may answer and no route documents, because they concern HTTP itself. */
const GENERAL_STATUSES = [405, 413, 415];

/** Compiled schemas, for all applications of a test file. */
let judgeOfFile: ((answer: Answer) => string | null) | undefined;

/**
 * Checks every answer of the application against the API document: the status is documented for the route, and the
 * body matches the schema. Call it before any other middleware is installed.
 * @returns the violations; the list grows with further answers.
 */
export function watchAnswers(app: INestApplication): readonly string[] {
  const violations: string[] = [];
  const judge = (judgeOfFile ??= createJudge());
  app.use((request: Request, response: Response, next: NextFunction) => {
    const parts: Buffer[] = [];
    const keep = (part: unknown): void => {
      if (typeof part === 'string' || part instanceof Uint8Array) parts.push(Buffer.from(part));
    };
    const write = response.write.bind(response) as (...args: unknown[]) => boolean;
    const end = response.end.bind(response) as (...args: unknown[]) => Response;
    response.write = ((...args: unknown[]) => {
      keep(args[0]);
      return write(...args);
    }) as Response['write'];
    response.end = ((...args: unknown[]) => {
      keep(args[0]);
      return end(...args);
    }) as Response['end'];
    response.once('finish', () => {
      const violation = judge({
        method: request.method.toLowerCase(),
        path: request.originalUrl.split('?', 1)[0] ?? '/',
        status: response.statusCode,
        mediaType: String(response.getHeader('content-type') ?? '').split(';', 1)[0] ?? '',
        body: Buffer.concat(parts).toString(),
      });
      if (violation !== null) violations.push(violation);
    });
    next();
  });
  return violations;
}

interface Answer {
  method: string;
  path: string;
  status: number;
  mediaType: string;
  body: string;
}

interface DocumentedResponse {
  content?: Record<string, unknown>;
}

function createJudge(): (answer: Answer) => string | null {
  const document = JSON.parse(readFileSync(DOCUMENT, 'utf8')) as OpenAPIObject;
  const ajv = new Ajv({ strict: false, allErrors: true, code: { optimize: false } });
  addFormats.default(ajv);
  ajv.addSchema(document, 'api');
  return (answer) => {
    const path = Object.keys(document.paths).find((template) => isMatch(template, answer.path));
    const item = path === undefined ? undefined : document.paths[path];
    const operation = item?.[answer.method as 'get'];
    if (path === undefined || !operation || GENERAL_STATUSES.includes(answer.status)) return null;
    const name = `${answer.method.toUpperCase()} ${answer.path} ${answer.status}`;
    const response = operation.responses[String(answer.status)] as DocumentedResponse | undefined;
    if (!response) return `${name}: status not documented; body ${answer.body}`;
    if (!response.content)
      return answer.body === '' ? null : `${name}: documented without body; ${answer.body}`;
    if (!(answer.mediaType in response.content)) return `${name}: ${answer.mediaType} is not documented`;
    if (!/[/+]json$/.test(answer.mediaType)) return null;
    const pointer = [
      'paths',
      path,
      answer.method,
      'responses',
      String(answer.status),
      'content',
      answer.mediaType,
    ];
    const validate = ajv.getSchema(`api#/${[...pointer, 'schema'].map(escapePointer).join('/')}`);
    if (!validate) return `${name}: no schema`;
    return validate(JSON.parse(answer.body)) === true
      ? null
      : `${name}: ${ajv.errorsText(validate.errors)}; body ${answer.body}`;
  };
}

function isMatch(template: string, path: string): boolean {
  const [expected, found] = [template.split('/'), path.split('/')];
  return (
    expected.length === found.length &&
    expected.every((segment, index) => segment.startsWith('{') || segment === found[index])
  );
}

function escapePointer(segment: string): string {
  return encodeURIComponent(segment.replaceAll('~', '~0').replaceAll('/', '~1'));
}
