import { type Variable } from './variable.js';
import { groups } from './variables.js';

const INTRODUCTION = `# Configuration

_For platform engineers who install or tune Repotide._

<!-- Generated from libs/platform/config by \`npm run docs:config\`; do not edit. -->

Repotide reads its environment once, at start. It refuses to start with invalid values and lists all of them at once. An empty
value counts as unset; spaces around a value are ignored. A variable that looks like a misspelt one of these causes a warning.
Secret values never appear in a log or an error, and may come [from files](access.md#secrets-from-files) (\`DATABASE_URL_FILE\`).

The environment determines the mode: **distributed** when \`REDIS_URL\` or \`REDIS_HOST\` is set, otherwise
**standalone**, where everything that is not configured is embedded. Distributed mode needs \`DATABASE_URL\`,
\`QDRANT_URL\`, and \`EMBEDDING_URL\` or \`EMBEDDING_PROVIDER=lexical\`.
`;

/** The Markdown of docs/configuration.md: a table for each group of variables. */
export function renderConfigurationReference(): string {
  const sections = groups.map(({ title, variables }) => {
    const rows = Object.entries(variables).map(([name, variable]) => renderRow(name, variable));
    return [`## ${title}`, '', '| Variable | Default | Meaning |', '|---|---|---|', ...rows, ''].join('\n');
  });
  return [INTRODUCTION, ...sections].join('\n');
}

function renderRow(name: string, variable: Variable): string {
  const meaning = [variable.description, `Expected: ${variable.expected}.`];
  if (variable.example !== undefined) meaning.push(`Example: \`${variable.example}\`.`);
  if (variable.isSecret) meaning.push('**Secret.**');
  return `| \`${name}\` | ${renderDefault(variable)} | ${meaning.join(' ')} |`;
}

function renderDefault(variable: Variable): string {
  if (variable.default !== undefined) return `\`${String(variable.default)}\``;
  return variable.defaultNote === undefined ? 'unset' : `unset: ${variable.defaultNote}`;
}
