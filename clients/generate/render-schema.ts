import openapiTS, { astToString } from 'openapi-typescript';

const HEADER = '// Made of docs/openapi.json by `npm run docs:client`; edits are lost.\n\n';

/**
 * Renders `clients/typescript/schema.ts` from an API document. The same document gives the same text.
 * @param document the JSON text of an OpenAPI 3 document.
 * @throws when it is not an OpenAPI 3 document.
 */
export async function renderSchema(document: string): Promise<string> {
  // Otherwise fields with a default would be mandatory in requests. `required` says which fields an answer always has.
  return HEADER + astToString(await openapiTS(document, { defaultNonNullable: false }));
}
