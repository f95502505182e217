import { type INestApplication } from '@nestjs/common';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import { z } from 'zod';

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
    .addTag('declarations', 'What files declare, applied by `repotide apply`.')
    .addTag('discoveries', 'Groups whose projects are registered automatically, and their runs.')
    .addTag('collections', 'The embedding model of each index, and rebuilds for another model.')
    .addTag('schedules', 'When a repository is synced.')
    .addTag('executions', 'What ran, with what outcome.')
    .addTag('progress', 'Progress of the current runs.')
    .addTag('history', 'Counts, durations and failures of what ran, over time.')
    .addTag('locks', 'Who holds which repository.')
    .addTag('cluster', 'The pods, their leader and the queue.')
    .addTag('tokens', 'Who may call: API tokens and their roles.')
    .addTag('audit', 'Who changed, read and exported what, and who was refused.')
    .addTag('search', 'Search in the index.')
    .addTag('settings', 'Settings that take effect at once in all pods.')
    .addTag('credentials', 'Tokens and OAuth grants for GitLab; their secrets are never shown.')
    .addTag('webhooks', 'Events of GitLab, authenticated by the secret of the webhook.')
    .addTag('event webhooks', 'Addresses that are sent what happens, and what was sent to them.')
    .addTag('health', 'Probes; they need no token.')
    .build();
  const document = SwaggerModule.createDocument(app, config, {
    // Handler names are unique in the whole API, which makes them stable operation ids.
    operationIdFactory: (_controller, handler) => handler,
    standardSchemaConverter: (schema, { schemaType }) => openApiOf(schema as z.ZodType, schemaType),
  });
  return completed(document);
}

type JsonSchema = z.core.JSONSchema.BaseSchema;

/** The `oneOf` alternative for a nullable component: in OpenAPI 3.0, `nullable` only works together with `type`. */
const NULL = { type: 'object', nullable: true, enum: [null] } as unknown as JsonSchema;

/** The OpenAPI schema of a model or a query, and the components that it refers to. */
export function openApiOf(schema: z.ZodType, io: 'input' | 'output') {
  const { definitions, ...own } = z.toJSONSchema(schema, {
    target: 'openapi-3.0',
    io,
    // Custom fields bring their own schema.
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      const isClosed = z.globalRegistry.get(zodSchema)?.['additionalProperties'] === false;
      // Requests with unknown fields are refused; answers may get more fields in later versions.
      if (zodSchema instanceof z.ZodObject && io === 'output' && !isClosed)
        delete jsonSchema.additionalProperties;
      const choices = jsonSchema.allOf ?? (zodSchema instanceof z.ZodNullable && jsonSchema.oneOf);
      if (jsonSchema['nullable'] !== true || !choices) return;
      delete jsonSchema['nullable'];
      delete jsonSchema.allOf;
      jsonSchema.oneOf = [...choices, NULL];
    },
  });
  const text = JSON.stringify({ schema: own, components: definitions ?? {} });
  return JSON.parse(text.replaceAll('"#/definitions/', '"#/components/schemas/')) as {
    schema: object;
    components: Record<string, object>;
  };
}

const referred = new Set<z.ZodObject>();

/** A reference to a model's component, for places where Nest accepts only plain OpenAPI. */
export function referTo(model: z.ZodObject): { $ref: string } {
  referred.add(model);
  return { $ref: `#/components/schemas/${model.meta()?.id}` };
}

/** Adds the components of {@link referTo}, sorts all components, and removes repeated descriptions of parameters. */
export function completed(document: OpenAPIObject): OpenAPIObject {
  const schemas = { ...document.components?.schemas };
  for (const model of referred) Object.assign(schemas, openApiOf(model, 'output').components);
  const byName = Object.entries(schemas).sort(([left], [right]) => (left < right ? -1 : 1));
  document.components = { ...document.components, schemas: Object.fromEntries(byName) };
  for (const path of Object.values(document.paths)) {
    for (const { parameters = [] } of Object.values(path) as { parameters?: object[] }[]) {
      parameters.forEach(describeOnce);
    }
  }
  return document;
}

function describeOnce(parameter: { schema?: { description?: string; allOf?: object[] } }): void {
  if (!parameter.schema) return;
  const { allOf, ...rest } = parameter.schema;
  delete rest.description;
  parameter.schema = { ...rest, ...allOf?.[0] };
}
