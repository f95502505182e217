import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  createGitRepository,
  startGitLabStandIn,
  startQdrantDouble,
  type GitLabStandIn,
  type QdrantDouble,
} from '@devkit';
import { createInstallation, type Installation, type Service } from '../support/installation.js';
import { executionThat, isOver, startSync } from '../support/service-resources.js';

interface Chunk {
  path: string;
  start_line: number;
  end_line: number;
  text: string;
}

const NOTEBOOK = JSON.stringify(
  {
    cells: [
      { cell_type: 'markdown', metadata: {}, source: ['# Rainfall by month\n', '\n', 'Two stations.'] },
      {
        cell_type: 'code',
        metadata: {},
        outputs: [{ output_type: 'display_data', data: { 'image/png': 'iVBORw0KGgo'.repeat(500) } }],
        source: ['rain = read_stations()\n', 'rain.plot()'],
      },
    ],
    nbformat: 4,
  },
  null,
  1,
);

let files: Record<string, string>;
let directory: string;
let gitlab: GitLabStandIn;
let qdrant: QdrantDouble;
let installation: Installation;
let service: Service;
let id: string;

beforeAll(async () => {
  files = {
    'runbook.md': await readFile('docs/operations.md', 'utf8'),
    'contract.ts': await readFile('test/contracts/vector-store.contract.ts', 'utf8'),
    'api.json': await readFile('package-lock.json', 'utf8').then((text) => text.slice(0, 60_000)),
    'windows.md': (await readFile('docs/api.md', 'utf8')).replaceAll('\n', '\r\n'),
    'essay.txt': 'One paragraph without any line break. '.repeat(600),
    'rain.ipynb': NOTEBOOK,
  };
  directory = await mkdtemp(join(tmpdir(), 'repotide-chunks-'));
  const git = await createGitRepository(join(directory, 'git'), { bare: true });
  git.writeAll(files);
  await git.commit();
  gitlab = await startGitLabStandIn();
  await gitlab.addProject({ path: 'team/chunks', gitDir: git.directory, defaultBranch: 'main' });
  qdrant = await startQdrantDouble();
  const stores = { QDRANT_URL: qdrant.url };
  installation = await createInstallation({ GITLAB_URL: gitlab.url, GITLAB_TOKEN: gitlab.token, ...stores });
  service = await installation.serve();
  ({ id } = await service.post<{ id: string }>('/api/v1/repositories', { project_path: 'team/chunks' }));
  const { status } = await executionThat(service, await startSync(service, { id }), isOver);
  expect(status).toBe('completed');
});

afterAll(async () => {
  await service.stop();
  await installation.remove();
  await Promise.all([gitlab.stop(), qdrant.close()]);
  await rm(directory, { recursive: true, force: true });
});

/** All chunks of a file, in its order. The search would show neighbours as one hit. */
function chunksOf(path: string): Chunk[] {
  const points = qdrant.collectionNames().flatMap((name) => qdrant.collection(name)?.points ?? []);
  const chunks = points.map(({ payload }) => payload as unknown as Chunk);
  return chunks
    .filter((chunk) => chunk.path === path)
    .sort((left, right) => left.start_line - right.start_line || left.end_line - right.end_line);
}

describe('the chunks of a file, as the store holds them', () => {
  it.each(['runbook.md', 'contract.ts', 'api.json', 'windows.md'])(
    'of %s share 1500 characters, within a tenth, and have their true lines',
    (path) => {
      const lines = files[path]!.split('\n');
      const chunks = chunksOf(path);
      expect(chunks.length).toBeGreaterThan(1);
      expect(chunks[0]?.start_line).toBe(1);
      expect(chunks.at(-1)?.end_line).toBe(files[path]!.trimEnd().split('\n').length);
      chunks.forEach(({ text, start_line, end_line }, index) => {
        expect(text.length).toBeLessThanOrEqual(7000);
        expect(lines.slice(start_line - 1, end_line).join('\n')).toContain(text);
        if (index === 0) return;
        const before = chunks[index - 1]!.text;
        const shared = Array.from({ length: 301 }, (_, extra) => 1350 + extra).filter((length) =>
          before.endsWith(text.slice(0, length)),
        );
        expect(shared).not.toEqual([]);
      });
    },
  );

  it('of prose on one long line are indexed, not skipped as minified', () => {
    const chunks = chunksOf('essay.txt');
    expect(chunks.length).toBeGreaterThan(3);
    for (const { text } of chunks) expect(text).toMatch(/^\w+ .*[\w.]$/);
  });

  it('of a notebook are its cells without outputs, at their lines of the file', () => {
    const lines = NOTEBOOK.split('\n');
    const lineOf = (part: string): number => lines.findIndex((line) => line.includes(part)) + 1;
    expect(chunksOf('rain.ipynb')).toMatchObject([
      {
        text: [
          '# %% Cell 1 [markdown]\n# Rainfall by month\n\nTwo stations.',
          '# %% Cell 2\nrain = read_stations()\nrain.plot()',
        ].join('\n\n'),
        start_line: lineOf('# Rainfall'),
        end_line: lineOf('rain.plot()'),
      },
    ]);
  });
});
