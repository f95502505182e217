import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { CHART, describeWithHelm, render } from './helm.js';
import { problemsOf } from './kubernetes-schemas.js';
import { ofKind, theOne } from './manifest.js';

const ON = ['serviceMonitor', 'prometheusRule', 'dashboards'].map(
  (part) => `monitoring.${part}.enabled=true`,
);
const RULES = `groups:
  - name: example
    rules:
      - alert: Down
        expr: up == 0
        for: 5m
        annotations: { summary: 'Down: {{ $labels.pod }}' }
`;

let chart: string;

beforeEach(async () => {
  chart = join(await mkdtemp(join(tmpdir(), 'repotide-chart-')), 'repotide');
  await cp(CHART, chart, { recursive: true });
  for (const folder of ['rules', 'dashboards']) {
    await rm(join(chart, 'files', folder), { recursive: true, force: true });
  }
});

afterEach(() => rm(join(chart, '..'), { recursive: true }));

async function add(path: string, content: string): Promise<void> {
  const file = join(chart, 'files', path);
  await mkdir(join(file, '..'), { recursive: true });
  await writeFile(file, content);
}

describeWithHelm('rules and dashboards of the chart', () => {
  it('equal the files, whatever these contain', async () => {
    await add('rules/a.yaml', RULES);
    await add('rules/b.yaml', RULES.replace('example', 'other'));
    const dashboard = JSON.stringify({ title: 'Runs', panels: [{ legend: '{{ pod }}' }] });
    await add('dashboards/runs.json', dashboard);
    const manifests = await render({ chart, set: ON });
    expect(manifests.flatMap(problemsOf)).toEqual([]);
    const rules = theOne(manifests, 'PrometheusRule');
    expect(JSON.stringify(rules.spec)).toContain('Down: {{ $labels.pod }}');
    expect(JSON.stringify(rules.spec)).toContain('"name":"other"');
    expect(theOne(manifests, 'ConfigMap', 'repotide-dashboards').data).toEqual({ 'runs.json': dashboard });
  });

  it('watch their own release only, and link to the runbook', async () => {
    const expression =
      'sum(rate(repotide_runs_total{status="failed"}[5m])) / nodejs_eventloop_lag_p99_seconds > 1';
    await add('rules/a.yaml', RULES.replace('up == 0', expression));
    const runbook = 'monitoring.prometheusRule.runbookUrl=https://example.com/runbook';
    const manifests = await render({ chart, release: 'team-a', set: [...ON, runbook] });
    const text = JSON.stringify(theOne(manifests, 'PrometheusRule').spec).replaceAll('\\"', '"');
    const release = 'namespace="repotide",service="team-a-repotide-metrics"';
    expect(text).toContain(
      `sum(rate(repotide_runs_total{${release},status="failed"}[5m])) / nodejs_eventloop_lag_p99_seconds{${release}} > 1`,
    );
    expect(text).toContain('"runbook_url":"https://example.com/runbook#down"');
    expect(theOne(manifests, 'Service', 'team-a-repotide-metrics').metadata.name).toBe(
      'team-a-repotide-metrics',
    );
  });

  it('are left out when there are no files', async () => {
    const manifests = await render({ chart, set: ON });
    expect(ofKind(manifests, 'PrometheusRule')).toEqual([]);
    expect(ofKind(manifests, 'ConfigMap').map(({ metadata }) => metadata.name)).not.toContain(
      'repotide-dashboards',
    );
    expect(manifests.flatMap(problemsOf)).toEqual([]);
  });

  it('are rendered for each file of the chart', async () => {
    const manifests = await render({ set: ON });
    const filesIn = (folder: string) => readdir(join(CHART, 'files', folder)).catch(() => []);
    const dashboards = ofKind(manifests, 'ConfigMap').find(({ metadata }) =>
      metadata.name.endsWith('-dashboards'),
    );
    expect(Object.keys(dashboards?.data ?? {}).toSorted()).toEqual((await filesIn('dashboards')).toSorted());
    for (const [name, text] of Object.entries(dashboards?.data ?? {})) {
      expect(JSON.parse(text)).toEqual(
        JSON.parse(await readFile(join(CHART, 'files/dashboards', name), 'utf8')),
      );
    }
    expect(ofKind(manifests, 'PrometheusRule')).toHaveLength((await filesIn('rules')).length > 0 ? 1 : 0);
  });

  it('come with a ServiceMonitor that finds the port of every pod', async () => {
    const manifests = await render({ set: [...ON, 'layout=split'] });
    const metrics = theOne(manifests, 'Service', 'repotide-metrics');
    const wanted = theOne(manifests, 'ServiceMonitor').spec?.selector?.matchLabels ?? {};
    expect(metrics.metadata.labels).toMatchObject(wanted);
    const others = ofKind(manifests, 'Service').filter((service) => service !== metrics);
    for (const { metadata } of others) expect(metadata.labels).not.toMatchObject(wanted);
    for (const { spec } of ofKind(manifests, 'Deployment')) {
      expect(spec?.template?.metadata.labels).toMatchObject(metrics.spec?.selector as object);
    }
  });

  it('come at a port that no Ingress, no HTTPRoute and no public Service names', async () => {
    const manifests = await render({ valuesOf: 'everything-on', set: ['config.METRICS_PORT=9900'] });
    const named = ofKind(manifests, 'Service').filter(({ spec }) =>
      /metrics|9900/.test(JSON.stringify(spec?.ports)),
    );
    expect(named.map(({ metadata }) => metadata.name)).toEqual(['repotide-metrics']);
    expect(named[0]?.spec?.ports).toEqual([{ name: 'metrics', port: 9900, targetPort: 'metrics' }]);
    const published = ['Ingress', 'HTTPRoute'].flatMap((kind) => ofKind(manifests, kind));
    expect(published).toHaveLength(2);
    expect(JSON.stringify(published)).not.toMatch(/metrics|9900/);
  });

  it('come to the pods of the cluster alone unless the values name the clients', async () => {
    const rules = theOne(await render({ set: ON }), 'NetworkPolicy', 'repotide').spec?.ingress;
    expect(rules).toContainEqual({
      ports: [{ port: 'metrics', protocol: 'TCP' }],
      from: [{ namespaceSelector: {} }],
    });
  });

  it.each([
    [['secrets.from.METRICS_TOKEN.name=scrape', 'secrets.from.METRICS_TOKEN.key=token'], 'scrape', 'token'],
    [['secrets.values.METRICS_TOKEN=not-a-secret-but-0123'], 'repotide-values', 'METRICS_TOKEN'],
    [
      ['name=own', 'key=k'].map((pair) => `monitoring.serviceMonitor.authorization.credentials.${pair}`),
      'own',
      'k',
    ],
  ])('are scraped with the token of %j', async (set, name, key) => {
    const { spec } = theOne(await render({ set: [...ON, ...set] }), 'ServiceMonitor');
    expect(spec?.endpoints).toMatchObject([
      { port: 'metrics', authorization: { credentials: { name, key } } },
    ]);
  });

  it('are scraped without a token when there is none', async () => {
    const { spec } = theOne(await render({ set: ON }), 'ServiceMonitor');
    expect(JSON.stringify(spec?.endpoints)).not.toContain('authorization');
  });
});
