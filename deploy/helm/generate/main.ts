// Writes the generated files of the chart: its schema, the tables of its README and copies of deploy/monitoring (`npm run docs:chart`).
import { mkdir, writeFile } from 'node:fs/promises';
import { CHART, renderChartDocs } from './chart-docs.js';

for (const [name, text] of Object.entries(await renderChartDocs())) {
  const file = new URL(name, CHART);
  await mkdir(new URL('./', file), { recursive: true });
  await writeFile(file, text);
}
