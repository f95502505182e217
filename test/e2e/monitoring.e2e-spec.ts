import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EXECUTION_STATUSES } from '@core/domain';
import { createGitRepository, startGitLabStandIn, type GitLabStandIn } from '@devkit';
import { parse } from 'yaml';
import { Metrics } from '../../apps/server/src/metrics/metrics.js';
import { createInstallation, type Installation } from '../support/installation.js';
import { readQuery, type Selector } from '../support/promql.js';
import { executionThat, isOver, register, startSync } from '../support/service-resources.js';

interface Rule {
  alert: string;
  expr: string;
  for?: string;
  labels: { severity: string };
  annotations: { summary: string; description: string };
}
interface Panel {
  type: string;
  title: string;
  id: number;
  gridPos: { x: number; y: number; w: number; h: number };
  targets?: { expr: string; legendFormat: string }[];
}
interface Dashboard {
  panels: Panel[];
  templating: { list: { name: string; query: string | { query: string } }[] };
}

const ROOT = new URL('../../', import.meta.url);
/** Labels that Prometheus adds to every sample. */
const TARGET_LABELS = ['job', 'instance'];

let directory: string;
let gitlab: GitLabStandIn;
let installation: Installation;
let scrape: string;
let rules: Rule[];
let dashboard: Dashboard;

beforeAll(async () => {
  const read = (path: string): Promise<string> => readFile(new URL(path, ROOT), 'utf8');
  const { groups } = parse(await read('deploy/monitoring/prometheus-rules.yaml'), { strict: true }) as {
    groups: { rules: Rule[] }[];
  };
  rules = groups.flatMap((group) => group.rules);
  dashboard = JSON.parse(await read('deploy/monitoring/grafana-dashboard.json')) as Dashboard;

  directory = await mkdtemp(join(tmpdir(), 'repotide-monitoring-'));
  const git = await createGitRepository(join(directory, 'git'));
  git.write('src/main.ts', 'export const answer = 42;\n');
  await git.commit('A file');
  await git.branch('gone');
  gitlab = await startGitLabStandIn();
  await gitlab.addProject({ path: 'team/app', gitDir: git.directory, defaultBranch: 'main' });
  installation = await createInstallation({ GITLAB_URL: gitlab.url, GITLAB_TOKEN: gitlab.token });
  const service = await installation.serve();
  const well = await register(service, 'team/app');
  const broken = await register(service, 'team/app', { branch: 'gone' });
  await git.deleteBranch('gone');
  for (const repository of [well, broken]) {
    await executionThat(service, await startSync(service, repository), isOver);
  }
  scrape = await (await fetch(`${service.url}/metrics`)).text();
});

afterAll(async () => {
  await installation?.remove();
  await gitlab?.stop();
  await rm(directory, { recursive: true, force: true });
});

/** Replaces Grafana's own variables with values. */
function queries(): string[] {
  const ofPanels = dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
  return [...rules.map(({ expr }) => expr), ...ofPanels].map((query) =>
    query.replaceAll('$__rate_interval', '5m').replaceAll('$job', '.*'),
  );
}

function selectors(): Selector[] {
  return queries().flatMap((query) => readQuery(query).selectors);
}

/** The names of the exported samples; a histogram also has `_bucket`, `_sum` and `_count`. */
function exportedNames(): Set<string> {
  const types = [...scrape.matchAll(/^# TYPE (\S+) (\S+)$/gm)];
  return new Set(
    types.flatMap(([, name, type]) =>
      type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name!],
    ),
  );
}

/** Labels of the scraped series and of the metric's definition, because a counter without values shows none. */
async function labelsOf(metric: string): Promise<string[]> {
  const scraped = [...scrape.matchAll(new RegExp(`^${metric}{([^}]*)}`, 'gm'))].flatMap(([, labels]) =>
    [...labels!.matchAll(/(\w+)="/g)].map(([, name]) => name!),
  );
  const name = metric.replace(/_bucket$/, '');
  const defined = new Metrics().registry.getSingleMetric(name) as unknown as { labelNames?: string[] };
  return [...scraped, ...(defined?.labelNames ?? [])];
}

function valuesOf(label: string): string[] {
  return [...scrape.matchAll(new RegExp(`[{,]${label}="([^"]*)"`, 'g'))].map(([, value]) => value!);
}

describe('alert rules and Grafana dashboard', () => {
  it('are queries that Prometheus can read', () => {
    expect(queries().length).toBeGreaterThan(30);
    for (const query of queries()) expect(() => readQuery(query)).not.toThrow();
    expect(() => readQuery('sum by (le (rate(a[5m]))')).toThrow(SyntaxError);
  });

  it('use only metrics that the service exports', () => {
    const exported = exportedNames();
    expect(selectors().length).toBeGreaterThan(30);
    expect(selectors().filter(({ metric }) => !exported.has(metric))).toEqual([]);
  });

  it('match only labels and values that the metric has', async () => {
    for (const { metric, matchers } of selectors()) {
      for (const [label, pattern] of matchers) {
        if (TARGET_LABELS.includes(label)) continue;
        expect(await labelsOf(metric)).toContain(label);
        const known = label === 'status' ? EXECUTION_STATUSES : valuesOf(label);
        expect(known).toEqual(expect.arrayContaining(pattern.split('|')));
      }
    }
  });

  it('group and describe only by labels that the metrics of the query have', async () => {
    const named = dashboard.panels.flatMap(({ targets = [] }) =>
      targets.map(({ expr, legendFormat }) => ({ query: expr, text: legendFormat })),
    );
    const said = rules.map(({ expr, annotations }) => ({ query: expr, text: annotations.summary }));
    for (const { query, text } of [...named, ...said]) {
      const readable = query.replaceAll('$__rate_interval', '5m');
      const parts = readQuery(readable);
      const labels = (await Promise.all(parts.selectors.map(({ metric }) => labelsOf(metric)))).flat();
      const used = [...text.matchAll(/{{ ?(?:\$labels\.)?(\w+) ?}}/g)].map(([, label]) => label!);
      expect([...labels, ...TARGET_LABELS, 'le']).toEqual(
        expect.arrayContaining([...parts.groupingLabels, ...used]),
      );
    }
  });

  it('have a description, a severity and a section in docs/operations.md', async () => {
    const page = await readFile(new URL('docs/operations.md', ROOT), 'utf8');
    expect(rules.length).toBeGreaterThanOrEqual(10);
    for (const { alert, labels, annotations } of rules) {
      expect(page).toContain(`### ${alert}\n`);
      expect(['warning', 'critical']).toContain(labels.severity);
      expect(annotations.summary).not.toBe('');
      expect(annotations.description).not.toBe('');
    }
    const headings = [...page.matchAll(/^### (Repotide\w+)$/gm)].map(([, name]) => name);
    expect(headings).toEqual(rules.map(({ alert }) => alert));
  });

  it('use metrics that docs/metrics.md explains one by one', async () => {
    const page = await readFile(new URL('docs/metrics.md', ROOT), 'utf8');
    const own = [...scrape.matchAll(/^# TYPE (repotide_\w+) /gm)].map(([, name]) => name!);
    expect(own.length).toBeGreaterThan(15);
    expect(own.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
    const explained = [...page.matchAll(/`(repotide_\w+)`/g)].map(([, name]) => name!);
    expect(explained.filter((name) => !own.includes(name))).toEqual([]);
  });

  it('have panels that do not overlap, each with a unique id', () => {
    const { panels } = dashboard;
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, index) => `${x + (index % w)} ${y + Math.floor(index / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
    expect(panels.every(({ gridPos: { x, w } }) => x + w <= 24)).toBe(true);
  });
});
