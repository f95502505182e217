import { parse } from 'yaml';
import { readComments, type ValueComment } from './values-comments.js';

const BEGIN = '<!-- values: generated from values.yaml by `npm run docs:chart`; do not edit below -->';

/**
 * Returns the README with a new last part: the tables of values.
 * @throws when the README has no mark before the tables.
 */
export function renderReadme(readme: string, yaml: string): string {
  const mark = readme.indexOf(BEGIN);
  if (mark === -1) throw new Error(`README.md has no line "${BEGIN}".`);
  return `${readme.slice(0, mark)}${BEGIN}\n\n${renderTables(yaml)}`;
}

function renderTables(yaml: string): string {
  const values: unknown = parse(yaml);
  const comments = readComments(yaml).filter(({ description }) => description !== null);
  const sections = [...new Set(comments.map(({ section }) => section))];
  return sections
    .map((section) => {
      const rows = comments.filter((comment) => comment.section === section);
      return [
        `### ${section}\n`,
        '| Value | Default | Meaning |',
        '| --- | --- | --- |',
        ...rows.map((row) => renderRow(row, values)),
        '',
      ].join('\n');
    })
    .join('\n');
}

function renderRow({ path, description, schema }: ValueComment, values: unknown): string {
  const value = path.split('.').reduce((at: unknown, key) => (at as Record<string, unknown>)[key], values);
  const options = schema?.startsWith('{') ? (JSON.parse(schema) as { enum?: string[] }).enum : undefined;
  const choice = options ? ` One of ${options.map((option) => `\`${option}\``).join(', ')}.` : '';
  return `| \`${path}\` | \`${JSON.stringify(value)}\` | ${description ?? ''}${choice} |`;
}
