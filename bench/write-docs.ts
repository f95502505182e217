/** Writes docs/performance.md from bench/results/*.json: `npm run docs:performance`. */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { BENCHMARKS } from './benchmarks.js';
import { sectionOf } from './run/markdown.js';
import { type StoredReport } from './run/report.js';

const RESULTS = new URL('./results/', import.meta.url);
const PAGE = new URL('../docs/performance.md', import.meta.url);

const HEAD = `# Performance

_For platform engineers who compare, and for developers who improve performance._

\`npm run docs:performance\` writes this page from \`bench/results/*.json\`. \`npm run bench -- --json bench/results\` measures again;
\`npm run bench -- --help\` lists the benchmarks, \`--quick\` shows in minutes that they work. Each starts the delivered service with real
Postgres, Redis and git, and stand-ins of GitLab, Qdrant and the embedding model. Compare ratios of one run, not times of two machines. Cells with three
numbers are minimum / median / maximum. [Other measurements](benchmarks.md) have their own commands.
`;

const present = new Set((await readdir(RESULTS)).map((file) => file.replace(/\.json$/, '')));
const sections: string[] = [];
for (const name of Object.keys(BENCHMARKS).filter((each) => present.has(each))) {
  const report = JSON.parse(await readFile(new URL(`${name}.json`, RESULTS), 'utf8')) as StoredReport;
  sections.push(sectionOf(report));
}
await writeFile(PAGE, `${[HEAD.trimEnd(), ...sections].join('\n\n')}\n`);
