import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { CHART, callHelm, describeWithHelm, parseManifests, render, template } from './helm.js';
import { problemsOf } from './kubernetes-schemas.js';

const VALUE_FILES = readdirSync(join(CHART, 'ci')).map((name) => name.replace('-values.yaml', ''));

describeWithHelm('the chart', () => {
  it('has the values files that the documents mention', () => {
    expect(VALUE_FILES).toEqual(
      expect.arrayContaining([
        ...['minimal', 'distributed', 'split-roles', 'trial', 'everything-on', 'restricted'],
        'zero-and-false',
      ]),
    );
  });

  it.each([undefined, ...VALUE_FILES])('passes helm lint with the values %s', async (name) => {
    const values = name === undefined ? [] : ['--values', join(CHART, 'ci', `${name}-values.yaml`)];
    await expect(callHelm(['lint', '--strict', CHART, ...values])).resolves.toContain('0 chart(s) failed');
  });

  it.each([undefined, ...VALUE_FILES])(
    'renders valid Kubernetes objects with the values %s',
    async (name) => {
      const manifests = await render({ valuesOf: name });
      expect(manifests.length).toBeGreaterThan(6);
      expect(manifests.flatMap(problemsOf)).toEqual([]);
    },
  );

  it('renders its snapshot by default; if the difference is right, run jest with --updateSnapshot', async () => {
    expect(await template()).toMatchSnapshot();
  });

  it('renders each kind when every option is enabled', async () => {
    const kinds = new Set((await render({ valuesOf: 'everything-on' })).map(({ kind }) => kind));
    for (const kind of [
      'HorizontalPodAutoscaler',
      'ScaledObject',
      'ServiceMonitor',
      'Ingress',
      'Job',
      'Role',
    ]) {
      expect(kinds).toContain(kind);
    }
  });
});

describeWithHelm('the check against Kubernetes', () => {
  const configMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x' } };

  it.each<[string, string]>([
    ['an unknown field', 'data: {}\nimmutible: true'],
    ['an unknown field deep inside', 'metadata: { name: x, lables: {} }'],
    ['a number where text belongs', 'data: { PORT: 3000 }'],
    ['a word that YAML 1.1 reads as a boolean', 'data: { FLAG: yes }'],
  ])('refuses %s', (_what, yaml) => {
    const [wrong] = parseManifests(yaml);
    expect(problemsOf({ ...configMap, ...wrong })).toHaveLength(1);
  });

  it('refuses an unknown kind', () => {
    expect(problemsOf({ ...configMap, kind: 'ConfigMop' })).toEqual(['v1 ConfigMop: unknown kind']);
  });

  it('accepts a valid object', () => {
    expect(problemsOf({ ...configMap, data: { PORT: '3000' } })).toEqual([]);
  });
});
