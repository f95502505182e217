// Writes docs/openapi.json; `npm run docs:openapi` calls it from the root of the repository.
import { writeFile } from 'node:fs/promises';
import { renderApiDocument } from './render-api-document.js';

await writeFile('docs/openapi.json', await renderApiDocument());
