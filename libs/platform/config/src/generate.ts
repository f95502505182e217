// Writes docs/configuration.md; `npm run docs:config` calls it from the root of the repository.
import { writeFile } from 'node:fs/promises';
import { renderConfigurationReference } from './reference.js';

await writeFile('docs/configuration.md', renderConfigurationReference());
