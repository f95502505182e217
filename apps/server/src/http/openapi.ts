import { type INestApplication } from '@nestjs/common';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import { type z } from 'zod';
import { completed, openApiOf } from './openapi-schema.js';

const API_VERSION = '1.0.0';

/** Builds the OpenAPI document of all the application's routes. A repeated call returns the same document. */
export function buildOpenApiDocument(app: INestApplication): OpenAPIObject {
  const config = new DocumentBuilder()
    .setTitle('Repotide')
    .setDescription(
      'Keeps a vector database true to your GitLab repositories. Times are ISO 8601 in UTC. Lists answer `items` and ' +
        '`total`. Failures are RFC 9457 problem details with a stable `code`.',
    )
    .setVersion(API_VERSION)
    .addBearerAuth({
      type: 'http',
      scheme: 'bearer',
      description: 'An API token: viewer, operator or admin.',
    })
    .addTag(
      'repositories',
      'Which projects are indexed, under which rules, and what the index holds of them.',
    )
    .addTag('discoveries', 'Groups whose projects are registered by themselves, and what each look found.')
    .addTag('collections', 'Which model made the index that searches use, and a rebuild for another.')
    .addTag('schedules', 'When a repository is synced.')
    .addTag('executions', 'What ran, with what outcome.')
    .addTag('progress', 'How far the runs of the moment are.')
    .addTag('history', 'Counts, durations and failures of what ran, over time.')
    .addTag('locks', 'Who holds which repository.')
    .addTag('cluster', 'The pods, their leader and the queue.')
    .addTag('tokens', 'Who may call: API tokens and their roles.')
    .addTag('audit', 'Who changed what.')
    .addTag('search', 'Questions to the index.')
    .addTag('settings', 'What operators change while it runs, for all pods.')
    .addTag('credentials', 'What GitLab is read with; their secrets are never shown.')
    .addTag('webhooks', 'Events of GitLab; the secret of the webhook is their proof.')
    .addTag('health', 'Probes; they need no token.')
    .build();
  const document = SwaggerModule.createDocument(app, config, {
    // Handler names are unique in the whole API, which makes them stable operation ids.
    operationIdFactory: (_controller, handler) => handler,
    standardSchemaConverter: (schema, { schemaType }) => openApiOf(schema as z.ZodType, schemaType),
  });
  return completed(document);
}
