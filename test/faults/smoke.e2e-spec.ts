import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { perform } from './perform.js';
import { smoke } from './scenarios/smoke.scenario.js';

it('fault harness: every invariant holds for three pods under one fault of each kind', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'repotide-faults-smoke-'));
  const said: string[] = [];
  const report = await perform(smoke, {
    mode: 'distributed',
    seed: 1,
    directory,
    say: (line) => void said.push(line),
  });
  const broken = report.verdicts.filter(({ violations }) => violations.length > 0);
  expect({ broken, said: broken.length > 0 ? said : [] }).toEqual({ broken: [], said: [] });
  expect(report.unobserved).toEqual([]);
  await rm(directory, { recursive: true, force: true });
});
