import { type Role } from '@core/domain';

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

export interface ParameterObject {
  name: string;
  in: 'path' | 'query' | 'header';
  required?: boolean;
  schema?: object;
}

interface OperationObject {
  operationId: string;
  parameters?: ParameterObject[];
  requestBody?: { content: Record<string, { schema: object }> };
  responses: Record<string, { content?: Record<string, unknown> }>;
  'x-required-role'?: Role;
}

export interface ApiDocument {
  paths: Record<string, Partial<Record<(typeof METHODS)[number], OperationObject>>>;
  components: { schemas: Record<string, object> };
}

/** One method of one path of the API document. */
export interface Operation extends OperationObject {
  name: string;
  method: string;
  template: string;
  /** Null: the operation needs no token. */
  role: Role | null;
  isStream: boolean;
}

/** Every operation of a document, as `/docs-json` serves it. */
export function operationsOf(document: ApiDocument): Operation[] {
  return Object.entries(document.paths).flatMap(([template, item]) =>
    METHODS.flatMap((method) => {
      const operation = item[method];
      if (!operation) return [];
      const role = operation['x-required-role'] ?? null;
      const isStream = operation.responses['200']?.content?.['text/event-stream'] !== undefined;
      const name = `${method.toUpperCase()} ${template}`;
      return [{ ...operation, name, method: method.toUpperCase(), template, role, isStream }];
    }),
  );
}

/** The path of an operation, each parameter replaced and escaped. */
export function pathOf({ template }: Pick<Operation, 'template'>, valueOf: (name: string) => string): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(valueOf(name)));
}
