import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Browser } from 'playwright-core';
import { CHROMIUM_MISSING, findChromium, startChromium } from '../support/chromium.js';
import { until as until } from '../support/command-line.js';
import {
  DESKTOP,
  isTooWide,
  openPage,
  type OpenPage,
  PATIENCE_MS,
  PHONE,
  seriousViolations,
  settle,
  show,
  signIn,
  type ViewName,
  VIEWS,
} from '../support/dashboard/page.js';
import {
  BROKEN,
  createDashboardWorld,
  type DashboardWorld,
  HELD,
  MIXED,
} from '../support/dashboard/world.js';
import { executionThat, isOver } from '../support/service-resources.js';

const chromium = await findChromium();
/** Chromium, a first database and a week of history, beside all other tests. */
const START_LIMIT_MS = 600_000;
const CHANGING = /sync|dry run|verify|more:|retry|pause|resume|cancel|unlock/i;
const SCHEMES = ['light', 'dark'] as const;
const SCREENS = { desktop: DESKTOP, phone: PHONE } as const;

if (chromium === null) {
  it.skip(`the dashboard in a browser (${CHROMIUM_MISSING})`, () => undefined);
} else {
  describe('the dashboard in Chromium', () => driveBrowser(chromium));
}

function driveBrowser(executablePath: string): void {
  let world: DashboardWorld;
  let browser: Browser;

  beforeAll(async () => {
    world = await createDashboardWorld();
    browser = await startChromium(executablePath);
  }, START_LIMIT_MS);
  afterAll(async () => {
    await browser?.close();
    await world?.remove();
  });

  async function signedIn(role: keyof DashboardWorld['tokens'], screen = DESKTOP): Promise<OpenPage> {
    const opened = await openPage(browser, world.service.url, 'light', screen);
    await signIn(opened.page, world.tokens[role]);
    return opened;
  }

  describe.each(SCHEMES)('in %s mode', (scheme) => {
    it.each(Object.keys(SCREENS) as (keyof typeof SCREENS)[])(
      'shows every view on a %s without complaint, and fits',
      async (screen) => {
        const { page, complaints } = await openPage(browser, world.service.url, scheme, SCREENS[screen]);
        expect(await seriousViolations(page)).toEqual([]);
        await signIn(page, world.tokens.admin);
        const executionId = await world.startHeldRun();
        await executionThat(world.service, executionId, ({ status }) => status === 'running', PATIENCE_MS);
        for (const view of Object.keys(VIEWS) as ViewName[]) {
          await show(page, view);
          expect({ view, violations: await seriousViolations(page) }).toEqual({ view, violations: [] });
          expect({ view, isTooWide: await isTooWide(page) }).toEqual({ view, isTooWide: false });
        }
        await page.goto(`${world.service.url}/#/history/${executionId}`);
        await page.getByText('Files left out by a rule').waitFor();
        await settle(page);
        expect(await seriousViolations(page)).toEqual([]);
        expect(await isTooWide(page)).toBe(false);
        await world.cancel(executionId);
        expect(complaints).toEqual([]);
        await page.context().close();
      },
    );
  });

  it('follows a run live, cancels it when asked twice, and tells what became of it', async () => {
    const { page, complaints } = await signedIn('operator');
    await show(page, 'repositories');
    await page.getByRole('button', { name: `Full sync: ${HELD} @ main`, exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Full sync' }).click();

    await show(page, 'now');
    const card = page.locator('li.panel', { hasText: HELD });
    const bar = card.getByRole('progressbar');
    await until('progress', async () => Number(await bar.getAttribute('value')) > 0, PATIENCE_MS);
    await card.getByRole('button', { name: /^Cancel/ }).click();
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await card.getByRole('button', { name: /^Cancel/ }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('Nothing runs at the moment.').waitFor();
    await show(page, 'history');
    await page.locator('tbody tr', { hasText: HELD }).first().getByText('cancelled').waitFor();
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  it('leads from the history to why a file is not indexed, and why a run failed', async () => {
    const { page } = await signedIn('viewer');
    await show(page, 'history');
    await page.getByLabel('Outcome').selectOption('failed');
    await page.getByLabel('Trigger').selectOption('manual');
    await page.getByLabel('Repository').selectOption({ label: `${BROKEN} @ release` });
    await settle(page);
    expect(page.url()).toContain('status=failed');
    await page.getByRole('link', { name: BROKEN }).first().click();
    await page.getByText('branch_not_found').waitFor();

    await show(page, 'repositories');
    await page.getByRole('link', { name: `Newest run of ${MIXED} @ main` }).click();
    const skipped = page.getByRole('region', { name: 'Files left out by a rule' });
    await skipped.getByText('assets/logo.png').waitFor();
    expect(await skipped.getByRole('row').count()).toBeGreaterThan(2);
    await page.context().close();
  });

  it('retries a cancelled run when asked twice, and leads from each attempt to the other', async () => {
    const executionId = await world.startHeldRun();
    await executionThat(world.service, executionId, ({ status }) => status === 'running', PATIENCE_MS);
    await world.cancel(executionId);
    const { page, complaints } = await signedIn('operator');
    await page.goto(`${world.service.url}/#/history/${executionId}`);
    await page.getByRole('button', { name: `Retry: ${HELD} @ main` }).click();
    expect(page.url()).toContain(executionId);
    await page.getByRole('dialog').getByRole('button', { name: 'Retry' }).click();
    await page.getByRole('link', { name: 'of a former run' }).waitFor();
    const retryId = page.url().split('/').at(-1)!;
    await executionThat(world.service, retryId, ({ status }) => status === 'running', PATIENCE_MS);
    await settle(page);
    expect(await seriousViolations(page)).toEqual([]);
    expect(await page.getByRole('button', { name: /^Retry/ }).count()).toBe(0);
    await page.getByRole('link', { name: 'of a former run' }).click();
    await page.getByRole('link', { name: /^repeated later: (queued|running)$/ }).click();
    await page.getByRole('link', { name: 'of a former run' }).waitFor();
    expect(page.url()).toContain(retryId);
    await world.cancel(retryId);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  it.each([
    ['Dry run', MIXED, 'What a sync would do', /Nothing\. The index stands at/],
    ['Dry run', HELD, 'The plan in numbers', /Files to read/],
    ['Verify', MIXED, 'What was found', /The index is equal/],
  ])('shows what a %s of %s found', async (action, project, label, verdict) => {
    const { page, complaints } = await signedIn('operator');
    await show(page, 'repositories');
    await page.getByRole('button', { name: `More: ${project} @ main` }).click();
    await page.getByRole('button', { name: `${action}: ${project} @ main` }).click();
    await page.getByLabel(label, { exact: true }).getByText(verdict).waitFor();
    await settle(page);
    expect(await seriousViolations(page)).toEqual([]);
    expect(await page.getByText('Files left out by a rule').count()).toBe(0);
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  it('shows how far a rebuild is, what is kept from before, and what discoveries found', async () => {
    const { page } = await signedIn('viewer');
    await show(page, 'index');
    const card = page.locator('li.panel', { hasText: 'text-embedding-3-small@1536' });
    await card.getByText('1 of 2 repositories are done.').waitFor();
    expect(await card.getByRole('progressbar').getAttribute('value')).toBe('50');
    await card.getByText(/^kept, to be dropped in \d/).waitFor();
    await page.getByRole('row', { name: /^platform completed .* 2 0 0 / }).waitFor();
    await page.route('**/api/v1/collections', (route) => route.abort());
    await page.reload();
    await page.getByText('The service does not answer.').first().waitFor();
    await page.getByRole('row', { name: /^platform / }).waitFor();
    await page.context().close();
  });

  it('finds code, and says where it stands', async () => {
    const { page } = await signedIn('viewer');
    await show(page, 'search');
    await page.getByLabel('Words').fill('refund a payment to the bank');
    await page.getByRole('button', { name: 'Search', exact: true }).click();
    await page.getByRole('heading', { name: 'src/refund.ts:1-3' }).waitFor();
    await page.getByText('bank.payBack(order.total)').waitFor();
    await page.context().close();
  });

  it('pauses and resumes a schedule', async () => {
    const { page } = await signedIn('operator');
    await show(page, 'repositories');
    const card = page.locator('li.panel', { hasText: MIXED });
    await card.getByRole('button', { name: /^Pause/ }).click();
    await card.getByText('paused', { exact: true }).waitFor();
    await card.getByRole('button', { name: /^Resume/ }).click();
    await card.getByText('next tick').waitFor();
    await page.context().close();
  });

  it('lets an admin take a lock, with a reason that the audit log keeps', async () => {
    const executionId = await world.startHeldRun();
    await executionThat(world.service, executionId, ({ status }) => status === 'running', PATIENCE_MS);
    const { page } = await signedIn('admin');
    await show(page, 'cluster');
    await page.getByRole('button', { name: `Unlock: ${HELD}` }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel(/Reason/).fill('The pod hangs.');
    await dialog.getByRole('button', { name: 'Unlock' }).click();
    const releases = async () =>
      (await world.service.get<{ items: { reason: string }[] }>('/api/v1/audit?action=lock.release')).items;
    await until('the release to be recorded', async () => (await releases()).length > 0, PATIENCE_MS);
    expect(await releases()).toMatchObject([{ reason: 'The pod hangs.' }]);
    await executionThat(world.service, executionId, isOver, PATIENCE_MS);
    await page.context().close();
  });

  it('offers a viewer no button that changes anything', async () => {
    const { page } = await signedIn('viewer');
    await page.getByText('test-viewer · viewer').waitFor();
    await show(page, 'repositories');
    await page.getByText(MIXED).waitFor();
    expect(await page.getByRole('button', { name: CHANGING }).count()).toBe(0);
    await show(page, 'history');
    await page.getByLabel('Outcome').selectOption('failed');
    await settle(page);
    await page.getByRole('link', { name: BROKEN }).first().click();
    await page.getByText('Asked for by').waitFor();
    expect(await page.getByRole('button', { name: CHANGING }).count()).toBe(0);
    await page.context().close();
  });

  it('refuses a wrong token in words, and keeps a right one out of address and lasting storage', async () => {
    const { page } = await openPage(browser, world.service.url, 'light', DESKTOP);
    await page.getByLabel('API token').fill('wrong');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').getByText(/token/).waitFor();
    await signIn(page, world.tokens.viewer);
    await page.reload();
    await page.getByRole('heading', { name: 'What runs now' }).waitFor();
    const kept = await page.evaluate('JSON.stringify([localStorage, document.cookie, location.href])');
    expect(kept).not.toContain(world.tokens.viewer);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('API token').waitFor();
    expect(await page.evaluate('sessionStorage.length')).toBe(0);
    await page.context().close();
  });

  it('says so when the service does not answer, shows what it knew, and recovers', async () => {
    const { page } = await signedIn('viewer');
    await show(page, 'cluster');
    await page.route('**/api/v1/cluster', (route) => route.abort());
    await page.getByText('The service does not answer.').first().waitFor();
    await page.getByRole('row', { name: /^repotide-0/ }).waitFor();
    await page.unroute('**/api/v1/cluster');
    await page.getByRole('button', { name: 'Try again' }).first().click();
    const complaints = page.getByText('The service does not answer.');
    await until('the complaints to go', async () => (await complaints.count()) === 0, PATIENCE_MS);
    await page.context().close();
  });

  it('comes compressed, with nothing foreign allowed, and is not sent twice', async () => {
    const { url } = world.service;
    const page = await fetch(url);
    expect(page.headers.get('content-security-policy')).toMatch(/default-src 'none'; script-src 'self';/);
    expect(await page.text()).not.toMatch(/<script(?![^>]* src="assets\/)|<style|https?:/);
    const script = await fetch(`${url}/assets/dashboard.js`, { headers: { 'Accept-Encoding': 'gzip' } });
    expect(script.headers.get('content-encoding')).toBe('gzip');
    expect((await script.text()).length).toBeLessThan(100_000);
    const again = await fetch(`${url}/assets/dashboard.js`, {
      headers: { 'If-None-Match': script.headers.get('etag')! },
    });
    expect(again.status).toBe(304);
    for (const path of ['/assets/..%2f..%2fpackage.json', '/assets/index.html', '/assets/none.js']) {
      expect((await fetch(url + path)).status).toBe(404);
    }
  });

  it('works by keyboard alone', async () => {
    const { page } = await openPage(browser, world.service.url, 'dark', DESKTOP);
    await page.getByLabel('API token').focus();
    await page.keyboard.type(world.tokens.viewer);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'What runs now' }).waitFor();
    const focused = (): Promise<string> => page.evaluate('document.activeElement.textContent.trim()');
    const walkTo = async (label: string): Promise<void> => {
      for (let steps = 0; steps < 30 && (await focused()) !== label; steps++)
        await page.keyboard.press('Tab');
      expect(await focused()).toBe(label);
    };
    await walkTo('History');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'History', level: 1 }).waitFor();
    await page.context().close();
  });
}
