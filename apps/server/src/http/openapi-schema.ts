import { type OpenAPIObject } from '@nestjs/swagger';
import { z } from 'zod';

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
      if (zodSchema instanceof z.ZodObject && !isClosed) delete jsonSchema.additionalProperties;
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
