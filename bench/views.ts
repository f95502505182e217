import { type Database } from '@adapters/postgres';
import { type Page } from 'playwright-core';
import { CHROMIUM_MISSING, findChromium, startChromium } from '../test/support/chromium.js';
import { DESKTOP, openPage, signIn } from '../test/support/dashboard/page.js';
import { ADMIN_TOKEN, createInstallation } from '../test/support/installation.js';
import { startTestServer } from '../test/support/test-server.js';
import { fill } from './queue-scale-data.js';
import { atMost, type Benchmark, type Cell, median } from './run/report.js';

const LIMIT_MS = 1000;
const SIZE = {
  repositories: 2000,
  executions: 1_000_000,
  days: 365,
  manifestRows: 100,
  queued: 20,
  running: 10,
};
const QUICK = { ...SIZE, repositories: 100, executions: 10_000, manifestRows: 10 };

export const views: Benchmark = {
  title: 'Views of the dashboard',
  explains:
    'Chromium opens each view as a new page, and from another view, until nothing of it loads any more; with the largest request of the view by time. 2,000 repositories with a schedule each, and a million executions of a year.',
  limits: 'The queries of each view on two cores that the browser, the service and PostgreSQL share.',
  async run({ isQuick, progress }) {
    const chromium = await findChromium();
    if (chromium === null) throw new Error(CHROMIUM_MISSING);
    const stop = await startTestServer(process.env);
    const installation = await createInstallation({ REPOTIDE_ROLES: 'api' });
    const browser = await startChromium(chromium);
    try {
      const size = isQuick ? QUICK : SIZE;
      await installation.withDatabase(async (db) => {
        await fill(db, size, (rows) => progress(`${rows} of ${size.executions} executions`));
        await addStates(db);
      });
      const service = await installation.serve();
      const addresses = await installation.withDatabase(addressesOf);
      const { page } = await openPage(browser, service.url, 'light', DESKTOP);
      await signIn(page, ADMIN_TOKEN);
      const rows: Cell[][] = [];
      for (const [name, hash] of addresses) {
        progress(name);
        rows.push([name, ...(await measure(page, hash, isQuick ? 2 : 5))]);
      }
      const slowest = Math.max(...rows.map(([, , opened]) => median(opened as number[])));
      return {
        input: `${size.repositories} repositories, ${size.executions} executions`,
        tables: [
          {
            title: 'Milliseconds until a view is complete',
            columns: [
              { title: 'view' },
              { title: 'from another view' },
              { title: 'as a new page' },
              { title: 'slowest request' },
              { title: 'its time' },
            ],
            rows,
            plot: { labels: [0], value: 2 },
          },
        ],
        goals: [atMost('the slowest view', LIMIT_MS, slowest, ' ms')],
      };
    } finally {
      await browser.close();
      await installation.remove();
      await stop();
    }
  },
};

/** Outcomes and next ticks, which the fill leaves out: one in thirty repositories fails. */
async function addStates(db: Database): Promise<void> {
  await db.query(
    `UPDATE schedule_sessions SET is_active = true, next_run_at = now() + random() * interval '1 hour'`,
  );
  await db.query(
    `INSERT INTO repository_outcomes (repository_id, execution_id, status, error_code, error_message, ended_at, duration_seconds)
      SELECT DISTINCT ON (repository_id) repository_id, id, status, error_code, error_message, completed_at, duration_seconds
      FROM schedule_execution_logs WHERE status IN ('completed', 'partial', 'failed')
      ORDER BY repository_id, queued_at DESC`,
  );
  await db.query('VACUUM ANALYZE');
}

async function addressesOf(db: Database): Promise<[name: string, hash: string][]> {
  const [run] = await db.query<{ id: string; repositoryId: string }>(
    `SELECT e.id, repository_id AS "repositoryId" FROM schedule_execution_logs e JOIN repository_files USING (repository_id)
      WHERE e.status = 'failed' LIMIT 1`,
  );
  const repository = `#/repositories/${run!.repositoryId}`;
  return [
    ['Now', '#/'],
    ['Repositories', '#/repositories'],
    ['Repositories that fail, by last end', '#/repositories?state=failing&sort=-last_ended_at'],
    ['Repository', repository],
    ['Repository, files', `${repository}/files?search=module-5`],
    ['Repository, schedules', `${repository}/schedules`],
    ['Repository, settings', `${repository}/settings`],
    ['History', '#/history'],
    ['History, failed runs', '#/history?status=failed'],
    ['History of a repository', `#/history?repository=${run!.repositoryId}`],
    ['Run', `#/history/${run!.id}`],
    ['Charts, a day', '#/charts?days=1'],
    ['Charts, a week', '#/charts'],
    ['Charts, a year', '#/charts?days=365'],
    ['Index', '#/index'],
    ['Cluster', '#/cluster'],
    ['Search', '#/search'],
    ['Set up', '#/setup'],
    ['Connect a GitLab', '#/setup/connect'],
  ];
}

interface Opened {
  ms: number;
  request: string;
  requestMs: number;
}

/** Runs in the page: waits until no part loads in three frames, and names the slowest request since the start. */
const COMPLETE = `(async () => {
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  let calm = 0;
  let at = performance.now();
  while (calm < 3) {
    await frame();
    const isLoading = !document.querySelector('main h1') || document.querySelector('[aria-busy="true"]');
    if (isLoading) calm = 0;
    else if (calm++ === 0) at = performance.now();
  }
  const [slowest] = performance.getEntriesByType('resource').toSorted((a, b) => b.duration - a.duration);
  return { at, request: slowest ? new URL(slowest.name).pathname : '', requestMs: slowest?.duration ?? 0 };
})()`;

async function measure(page: Page, hash: string, rounds: number): Promise<Cell[]> {
  const changed: Opened[] = [];
  const opened: Opened[] = [];
  for (let round = 0; round <= rounds; round++) {
    await page.evaluate('location.hash = "#/nowhere"');
    await page.evaluate(
      `performance.clearResourceTimings(); globalThis.began = performance.now(); location.hash = ${JSON.stringify(hash)}`,
    );
    changed.push(await complete(page, 'globalThis.began'));
    await page.reload({ waitUntil: 'commit' });
    opened.push(await complete(page, '0'));
  }
  // The first round fills caches.
  const [, ...warm] = opened;
  const slowest = warm.reduce((most, each) => (each.requestMs > most.requestMs ? each : most));
  return [
    changed.slice(1).map(({ ms }) => ms),
    warm.map(({ ms }) => ms),
    slowest.request,
    warm.map(({ requestMs }) => requestMs),
  ];
}

async function complete(page: Page, began: string): Promise<Opened> {
  const { at, request, requestMs } = await page.evaluate<{ at: number } & Omit<Opened, 'ms'>>(COMPLETE);
  return { ms: at - (await page.evaluate<number>(began)), request, requestMs };
}
