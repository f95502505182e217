// Writes clients/typescript/schema.ts. `npm run docs:client` runs it from the root of the repository.
import { readFile, writeFile } from 'node:fs/promises';
import { renderSchema } from './render-schema.js';

await writeFile(
  'clients/typescript/schema.ts',
  await renderSchema(await readFile('docs/openapi.json', 'utf8')),
);
