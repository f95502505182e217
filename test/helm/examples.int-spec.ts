import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { CHART, describeWithHelm, parseManifests, render } from './helm.js';
import { problemsOf } from './kubernetes-schemas.js';
import { containerOf, type Manifest, theOne } from './manifest.js';

const EXAMPLES = join(CHART, '../../examples');

type HelmChart = Omit<Manifest, 'spec'> & {
  spec: { chart: string; targetNamespace: string; valuesContent: string };
};

async function example(name: string): Promise<Manifest> {
  const [manifest, ...others] = parseManifests(await readFile(join(EXAMPLES, name), 'utf8'));
  expect(others).toEqual([]);
  return manifest!;
}

describe('the examples for K3s', () => {
  it.each(['k3s-helmchart.yaml', 'k3s-traefik.yaml'])('%s has the fields of its kind', async (name) => {
    expect(problemsOf(await example(name))).toEqual([]);
  });

  it('install the current version of the chart', async () => {
    const { version, name } = parse(await readFile(join(CHART, 'Chart.yaml'), 'utf8')) as Record<
      string,
      string
    >;
    const { spec } = (await example('k3s-helmchart.yaml')) as unknown as HelmChart;
    expect(spec.chart).toMatch(new RegExp(`/${name}-${version}\\.tgz$`));
  });
});

describeWithHelm('the HelmChart for K3s', () => {
  it('has values that the chart accepts, for an image that was imported before', async () => {
    const { spec } = (await example('k3s-helmchart.yaml')) as unknown as HelmChart;
    const directory = await mkdtemp(join(tmpdir(), 'repotide-values-'));
    try {
      const valuesFile = join(directory, 'values.yaml');
      await writeFile(valuesFile, spec.valuesContent);
      const manifests = await render({ valuesFile, namespace: spec.targetNamespace });
      expect(manifests.flatMap(problemsOf)).toEqual([]);
      const { image } = containerOf(theOne(manifests, 'Deployment'));
      expect(image).toBe('docker.io/library/repotide:0.1.0');
    } finally {
      await rm(directory, { recursive: true });
    }
  });
});

describe('values and files in the documents', () => {
  it.each(['helm/repotide/README.md', '../docs/kubernetes.md', '../docs/image.md'])(
    'is there: %s',
    async (name) => {
      const file = join(CHART, '../..', name);
      const text = await readFile(file, 'utf8');
      const links = [...text.matchAll(/\]\((?!https?:)([^)#]+)/g)].map(([, link]) => String(link));
      const paths = [...text.matchAll(/\bdeploy\/[\w./-]*\w/g)].map(([path]) =>
        join(CHART, '../../..', path),
      );
      for (const path of [...links.map((link) => join(file, '..', link)), ...paths]) {
        await expect(readFile(path).catch((error: NodeJS.ErrnoException) => error.code)).resolves.not.toBe(
          'ENOENT',
        );
      }
    },
  );
});
