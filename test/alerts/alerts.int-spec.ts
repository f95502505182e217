import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { parse, stringify } from 'yaml';
import { ALERT_CASES, type AlertCase } from './cases.js';

const run = promisify(execFile);
const RULES = fileURLToPath(new URL('../../deploy/monitoring/prometheus-rules.yaml', import.meta.url));

/** Prometheus's own tool evaluates the rules. npm does not have it; TEST_PROMTOOL names another binary. */
const promtool = process.env.TEST_PROMTOOL ?? 'promtool';
const isInstalled = spawnSync(promtool, ['--version']).status === 0;

function testOf(alert: string, name: string, { series, at }: AlertCase, fires: boolean): object {
  return {
    name: `${alert} ${name}`,
    interval: '1m',
    input_series: Object.entries(series).map(([key, values]) => ({ series: key, values })),
    promql_expr_test: [
      {
        expr: `count(ALERTS{alertname="${alert}",alertstate="firing"})`,
        eval_time: `${at}m`,
        exp_samples: fires ? [{ labels: '{}', value: 1 }] : [],
      },
    ],
  };
}

describe('each alert', () => {
  it('has a case in which it fires and three neighbours in which it does not', async () => {
    const { groups } = parse(await readFile(RULES, 'utf8')) as { groups: { rules: { alert: string }[] }[] };
    const alerts = groups.flatMap(({ rules }) => rules.map(({ alert }) => alert));
    expect(Object.keys(ALERT_CASES)).toEqual(alerts);
    for (const { silent } of Object.values(ALERT_CASES)) expect(Object.keys(silent)).toHaveLength(3);
  });

  (isInstalled ? it : it.skip)(
    'fires in its case only, according to promtool (left out where it is missing)',
    async () => {
      const tests = Object.entries(ALERT_CASES).flatMap(([alert, { fires, silent }]) => [
        testOf(alert, 'fires', fires, true),
        ...Object.entries(silent).map(([name, neighbour]) => testOf(alert, name, neighbour, false)),
      ]);
      const directory = await mkdtemp(join(tmpdir(), 'repotide-alerts-'));
      try {
        const file = join(directory, 'tests.yaml');
        await writeFile(file, stringify({ rule_files: [RULES], evaluation_interval: '1m', tests }));
        const { stdout } = await run(promtool, ['test', 'rules', file]);
        expect(stdout).toContain('SUCCESS');
      } finally {
        await rm(directory, { recursive: true, force: true });
      }
    },
  );
});
