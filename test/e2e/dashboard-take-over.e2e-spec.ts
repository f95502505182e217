import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Browser, type Page } from 'playwright-core';
import { CHROMIUM_MISSING, findChromium, startChromium } from '../support/chromium.js';
import { until } from '../support/command-line.js';
import { DESKTOP, openPage, PATIENCE_MS, signIn } from '../support/dashboard/page.js';
import { createPodWorld, type PodService, type PodWorld, PROJECT } from '../support/pods.js';
import { type List, register } from '../support/service-resources.js';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.js';

const chromium = await findChromium();
const FILES = 120;
const EMBEDDING_MS = 150;
/** So slow that the run cannot end before its pod is killed. */
const HELD_MS = 2000;
/** A killed pod's run is taken over after seconds. */
const LEASE = { LEASE_TTL_SECONDS: '6', LEASE_RENEW_SECONDS: '2', REAPER_INTERVAL_SECONDS: '1' };
const START_LIMIT_MS = 300_000;

/** The numbers of the stages that count files or chunks, as the page shows them. */
const SHOWN = `[...document.querySelectorAll('.stages li')].map((stage) =>
  Number(/([\\d,]+)( of [\\d,]+)? (files|chunks)/.exec(stage.textContent)?.[1]?.replaceAll(',', '') ?? 0))`;

if (chromium === null) {
  it.skip(`a take-over in the dashboard (${CHROMIUM_MISSING})`, () => undefined);
} else {
  describe('a run whose pod is killed', () => takeOver(chromium));
}

function takeOver(executablePath: string): void {
  let world: PodWorld;
  let browser: Browser;
  let pods: Record<string, PodService>;
  /** Leads to one pod at a time, as a Service does after another is lost. */
  let proxy: TcpProxy;

  beforeAll(async () => {
    world = await createPodWorld(FILES);
    const [a, b] = await Promise.all([world.start('pod-a', LEASE), world.start('pod-b', LEASE)]);
    pods = { 'pod-a': a, 'pod-b': b };
    proxy = await startTcpProxy({ port: portOf(a) });
    browser = await startChromium(executablePath);
  }, START_LIMIT_MS);
  afterAll(async () => {
    await browser?.close();
    await proxy?.close();
    await world?.remove();
  });

  const portOf = ({ url }: PodService): number => Number(new URL(url).port);
  const commandLine = (...args: string[]) =>
    world.installation.run([...args, '--json'], {
      REPOTIDE_URL: `http://127.0.0.1:${proxy.port}`,
      REPOTIDE_TOKEN: pods['pod-a']!.token,
    });
  const numbers = (page: Page): Promise<number[]> => page.evaluate<number[]>(SHOWN);

  it('continues in the page and on the command line: the count of a stage never falls, and both stop waiting at its end', async () => {
    world.slowDown(EMBEDDING_MS);
    const repository = await register(pods['pod-a']!, PROJECT);
    const waiting = commandLine('sync', PROJECT, '--wait');
    const newest = async () =>
      (await pods['pod-a']!.get<List<{ id: string }>>(`/api/v1/executions?repository_id=${repository.id}`))
        .items[0]?.id;
    await until('the run', async () => (await newest()) !== undefined, PATIENCE_MS);
    const run = (await newest())!;
    const path = `/api/v1/executions/${run}`;
    const podOf = async (pod: PodService) => (await pod.get<{ pod_name: string | null }>(path)).pod_name;
    await until('a pod to take the run', async () => (await podOf(pods['pod-a']!)) !== null);
    const holder = (await podOf(pods['pod-a']!))!;
    const other = pods[holder === 'pod-a' ? 'pod-b' : 'pod-a']!;
    // The command lines are connected to the pod that will be killed.
    proxy.retarget(portOf(pods[holder]!));
    proxy.cut();
    const { page } = await openPage(browser, other.url, 'light', DESKTOP);
    await signIn(page, other.token);
    await page.goto(`${other.url}/#/history/${run}`);
    // Storing is the last stage.
    await until('stored chunks', async () => ((await numbers(page)).at(-1) ?? 0) > 20, PATIENCE_MS);
    let highest = await numbers(page);
    world.slowDown(HELD_MS);
    const following = commandLine('logs', '-f', run);
    await until('the progress on the command line', () => following.stderr() !== '', PATIENCE_MS);
    await pods[holder]!.command.end('SIGKILL');
    proxy.retarget(portOf(other));
    const falls: string[] = [];
    const isTakenOver = async (): Promise<boolean> => {
      const seen = await numbers(page);
      if (seen.length > 0) {
        if (seen.some((count, stage) => count < highest[stage]!))
          falls.push(`${highest.join()} -> ${seen.join()}`);
        highest = seen;
      }
      return (await podOf(other)) !== holder && (await podOf(other)) !== null;
    };
    await until('the take-over', isTakenOver, PATIENCE_MS);
    world.slowDown(0);
    const isOver = async (): Promise<boolean> => {
      await isTakenOver();
      return page.locator('h1', { hasText: 'completed' }).isVisible();
    };
    await until('the end of the run', isOver, PATIENCE_MS);
    expect(falls).toEqual([]);
    for (const command of [waiting, following]) {
      expect([await command.ended, command.stderr()]).toEqual([0, expect.not.stringContaining('repotide:')]);
      expect(JSON.parse(command.stdout())).toMatchObject({ id: run, status: 'completed' });
    }
    // The page showed them while the second pod ran it.
    expect(highest.at(-1)).toBeGreaterThan(20);
    const { files_processed: files } = await other.get<{ files_processed: number }>(path);
    expect(files).toBe(FILES);
  });
}
