// Writes the chart's values.schema.json and the tables of its README; `npm run docs:chart` calls it.
import { writeFile } from 'node:fs/promises';
import { CHART, renderChartDocs } from './chart-docs.js';

for (const [name, text] of Object.entries(await renderChartDocs())) {
  await writeFile(new URL(name, CHART), text);
}
