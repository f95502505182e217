import openapiTS, { astToString } from 'openapi-typescript';

const HEADER = '// Made of docs/openapi.json by `npm run docs:client`; edits are lost.\n\n';

/**
 * The TypeScript types of an API document, as they stand in `clients/typescript/schema.ts`. The same document gives the
 * same text.
 * @param document the JSON text of an OpenAPI 3 document.
 * @throws when it is none.
 */
export async function renderSchema(document: string): Promise<string> {
  // A default makes a field optional for who asks; that an answer has it is said by `required`.
  return HEADER + astToString(await openapiTS(document, { defaultNonNullable: false }));
}
