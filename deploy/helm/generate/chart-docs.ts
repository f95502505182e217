import { readFile } from 'node:fs/promises';
import { format, resolveConfig } from 'prettier';
import { renderReadme } from './values-table.js';
import { renderSchema } from './values-schema.js';

export const CHART = new URL('../repotide/', import.meta.url);
const MONITORING = new URL('../../monitoring/', import.meta.url);

/** The generated files of the chart by name, formatted with the repository's formatter. */
export async function renderChartDocs(): Promise<Record<string, string>> {
  const yaml = await readFile(new URL('values.yaml', CHART), 'utf8');
  const readme = await readFile(new URL('README.md', CHART), 'utf8');
  const options = await resolveConfig(CHART);
  const prettify = (text: string, parser: string) => format(text, { ...options, parser });
  return {
    'values.schema.json': await prettify(JSON.stringify(renderSchema(yaml)), 'json'),
    'README.md': await prettify(renderReadme(readme, yaml), 'markdown'),
    // Helm can only read files inside the chart.
    'files/rules/repotide.yaml': await readFile(new URL('prometheus-rules.yaml', MONITORING), 'utf8'),
    'files/dashboards/repotide.json': await readFile(new URL('grafana-dashboard.json', MONITORING), 'utf8'),
  };
}
