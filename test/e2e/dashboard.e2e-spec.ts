import { readFile } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type Browser, type Page } from 'playwright-core';
import { CHROMIUM_MISSING, findChromium, startChromium } from '../support/chromium.js';
import { until } from '../support/command-line.js';
import {
  DESKTOP,
  isTooWide,
  openPage,
  type OpenPage,
  PATIENCE_MS,
  PHONE,
  refresh,
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
import { UNKNOWN_ID } from '../support/registration.js';
import { isOver, executionThat } from '../support/service-resources.js';

const chromium = await findChromium();
/** Time to start Chromium and to fill a new database with a week of history while other tests run. */
const START_LIMIT_MS = 600_000;
const CHANGING = /sync|dry run|verify|more actions|retry|pause|resume|cancel|unlock/i;

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
  afterEach(() => Promise.all(browser.contexts().map((context) => context.close())));
  afterAll(async () => {
    await browser?.close();
    await world?.remove();
  });

  const open = (): Promise<OpenPage> => openPage(browser, world.service.url, 'light', DESKTOP);
  const goTo = (page: Page, hash: string) => page.goto(`${world.service.url}/${hash}`);
  async function signedIn(role: keyof DashboardWorld['tokens']): Promise<OpenPage> {
    const opened = await open();
    await signIn(opened.page, world.tokens[role]);
    return opened;
  }

  /** Checks both colour schemes and both screen sizes; colours do not depend on the size. */
  async function expectAccessible(page: Page, view: string): Promise<void> {
    const found = {
      view,
      desktop: [] as string[],
      dark: [] as string[],
      phone: [] as string[],
      wide: [] as string[],
    };
    found.desktop = await seriousViolations(page);
    if (await isTooWide(page)) found.wide.push('desktop');
    await page.emulateMedia({ colorScheme: 'dark' });
    found.dark = await seriousViolations(page, ['color-contrast']);
    await page.emulateMedia({ colorScheme: 'light' });
    await page.setViewportSize(PHONE);
    found.phone = await seriousViolations(page);
    if (await isTooWide(page)) found.wide.push('phone');
    await page.setViewportSize(DESKTOP);
    expect(found).toEqual({ view, desktop: [], dark: [], phone: [], wide: [] });
  }

  /** Goes there like a user, from the list. */
  async function openRepository(page: Page, project: string): Promise<void> {
    await show(page, 'repositories');
    await page.getByRole('link', { name: `${project} @ main`, exact: true }).click();
    await page.getByRole('heading', { level: 1, name: project }).waitFor();
  }

  it('shows every view without axe violations, console errors or sideways scrolling', async () => {
    const { page, complaints } = await open();
    await expectAccessible(page, 'sign-in');
    await signIn(page, world.tokens.admin);
    const executionId = await world.heldRun();
    for (const view of Object.keys(VIEWS) as ViewName[]) {
      await show(page, view);
      await expectAccessible(page, view);
    }
    await goTo(page, `#/history/${executionId}`);
    await page.getByText('Skipped files').waitFor();
    await settle(page);
    await expectAccessible(page, 'execution');
    const own = `repositories/${world.repositories[MIXED]!.id}`;
    for (const [path, text] of [
      [own, '3 not indexed'],
      [`${own}/files`, 'too_large'],
      [`${own}/schedules`, 'Next ticks'],
      [`${own}/settings`, 'Danger zone'],
      ['setup', 'API tokens'],
      ['setup/connect', 'Connect and test'],
      ['setup/repository', 'Project or URL'],
    ] as const) {
      await goTo(page, `#/${path}`);
      await page.getByText(text).first().waitFor();
      await settle(page);
      await expectAccessible(page, path);
    }
    await goTo(page, `#/${own}/schedules`);
    await page.getByRole('button', { name: 'Add a schedule' }).click();
    await page.getByRole('dialog').getByText('Next ticks').waitFor();
    await expectAccessible(page, 'dialog of a schedule');
    expect(complaints).toEqual([]);
  });

  it('keeps the Unlock button within a phone screen', async () => {
    await world.heldRun();
    const { page } = await signedIn('admin');
    await page.setViewportSize(PHONE);
    await show(page, 'cluster');
    const { x, width } = (await page.getByRole('button', { name: `Unlock: ${HELD}` }).boundingBox())!;
    expect(x + width).toBeLessThan(PHONE.width);
  });

  it('releases a lock for an admin, with a reason that the audit log records', async () => {
    const executionId = await world.heldRun();
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
  });

  it('shows live progress of a run and cancels the run after a confirmation', async () => {
    await world.endHeldRun();
    const { page, complaints } = await signedIn('operator');
    await openRepository(page, HELD);
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
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel the run' }).click();
    await page.getByText('No runs in progress.').waitFor();
    await show(page, 'history');
    await page.locator('tbody tr', { hasText: HELD }).first().getByText('cancelled').waitFor();
    // The repair that follows an unlocked run may have started first; the page then shows and cancels that run.
    expect(complaints.filter((complaint) => !complaint.includes('409'))).toEqual([]);
  });

  it('begins with what needs attention, with its reason, what to do and a way to try again', async () => {
    const { page } = await signedIn('operator');
    await page.getByRole('heading', { name: '1 repository needs attention' }).waitFor();
    expect(await page.title()).toBe('(1) Now · Repotide');
    const line = page.locator('.attention > li', { hasText: BROKEN });
    await line.getByText(/has no branch "release".*Change the branch/).waitFor();
    await line.getByRole('button', { name: /^Retry now/ }).click();
    await page.locator('.announcement', { hasText: 'run queued' }).waitFor();
    await line.getByRole('link', { name: BROKEN }).waitFor();
    await page.getByRole('link', { name: 'failing: 1' }).click();
    await page.getByRole('heading', { level: 1, name: 'Repositories' }).waitFor();
    expect(page.url()).toContain('state=failing');
  });

  it('cancels a queued run on its page, and shows the status in the title of the tab', async () => {
    const executionId = await world.heldRun();
    const { page } = await signedIn('operator');
    const isTitled = (title: string) =>
      until(title, async () => (await page.title()) === `${title} · Repotide`, PATIENCE_MS);
    await until('the title', async () => /^(\(\d+\) )?Now · Repotide$/.test(await page.title()), PATIENCE_MS);
    await goTo(page, `#/history/${executionId}`);
    await isTitled(`running: ${HELD} @ main`);
    // A run only stays queued while every worker is busy; the row is set instead.
    await page.route(`**/api/v1/executions/${executionId}`, async (route) => {
      const response = await route.fetch();
      const execution = (await response.json()) as { status: string; completed_at: string | null };
      if (execution.completed_at === null) execution.status = 'queued';
      await route.fulfill({ response, json: execution });
    });
    await refresh(page);
    await page.getByText('Waiting for a free worker.').waitFor();
    await page.getByRole('button', { name: `Cancel: ${HELD} @ main` }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel the run' }).click();
    await page.locator('h1', { hasText: 'cancelled' }).waitFor();
    await isTitled(`cancelled: ${HELD} @ main`);
    await show(page, 'history');
    await isTitled('History');
  });

  it('retries a cancelled run after a confirmation, and links both runs', async () => {
    const executionId = await world.heldRun();
    await world.cancel(executionId);
    const { page, complaints } = await signedIn('operator');
    await goTo(page, `#/history/${executionId}`);
    await page.getByRole('button', { name: `Retry: ${HELD} @ main` }).click();
    expect(page.url()).toContain(executionId);
    await page.getByRole('dialog').getByRole('button', { name: 'Retry' }).click();
    const original = page.getByRole('link', { name: 'Retry of an earlier run' });
    await original.waitFor();
    const retryId = page.url().split('/').at(-1)!;
    await executionThat(world.service, retryId, ({ status }) => status === 'running', PATIENCE_MS);
    await settle(page);
    expect(await seriousViolations(page)).toEqual([]);
    expect(await page.getByRole('button', { name: /^Retry/ }).count()).toBe(0);
    await original.click();
    await page.getByRole('link', { name: /^Retried: (queued|running)$/ }).click();
    await original.waitFor();
    expect(page.url()).toContain(retryId);
    await world.cancel(retryId);
    expect(complaints).toEqual([]);
  });

  it('leads from the history to the error of a run, and from a repository to its skipped files', async () => {
    const { page } = await signedIn('viewer');
    await show(page, 'history');
    await page.getByLabel('Status').selectOption('failed');
    await page.getByLabel('Trigger').selectOption('manual');
    await page.getByLabel('Repository').fill(`${BROKEN} @ release`);
    await page.waitForURL(/repository=/);
    await settle(page);
    expect(page.url()).toContain('status=failed');
    await page.getByRole('link', { name: BROKEN }).first().click();
    await page.getByText('branch_not_found').waitFor();

    await show(page, 'repositories');
    await page.getByRole('link', { name: `Last run of ${MIXED} @ main` }).click();
    const skipped = page.getByRole('region', { name: 'Skipped files' });
    await skipped.getByText('assets/logo.png').waitFor();
    expect(await skipped.getByRole('row').count()).toBeGreaterThan(2);
  });

  it('says within three clicks why a file is not indexed', async () => {
    const { page } = await signedIn('viewer');
    await page.getByRole('navigation').getByRole('link', { name: 'Repositories' }).click();
    await page.getByRole('link', { name: `${MIXED} @ main`, exact: true }).click();
    await page.getByRole('link', { name: '3 not indexed: why?' }).click();
    await page.getByLabel('Find a file').fill('PRICES');
    await page.keyboard.press('Enter');
    await page.getByText('1–1 of 1').waitFor();
    await page.getByRole('row', { name: /data\/prices\.csv no too_large.*Raise the limit/ }).waitFor();
    await page.getByLabel('Find a file').fill('nothing like this');
    await page.keyboard.press('Enter');
    await page.getByText('No files match.').waitFor();
    await page.getByRole('link', { name: 'Show all files' }).click();
    await page.getByRole('link', { name: 'src/' }).click();
    await page.getByRole('row', { name: /src\/refund\.ts yes/ }).waitFor();
  });

  it.each([
    ['Dry run', MIXED, 'Dry run result', /No changes\. The index is up to date/],
    ['Dry run', HELD, 'Planned work', /Files to fetch/],
    ['Verify', MIXED, 'Verification result', /The index matches/],
  ])('shows the report of %s for %s', async (action, project, label, verdict) => {
    const { page, complaints } = await signedIn('operator');
    await openRepository(page, project);
    await page.getByRole('button', { name: `${action}: ${project} @ main` }).click();
    const report = page.getByLabel(label, { exact: true }).getByText(verdict);
    const isShown = async (): Promise<boolean> => {
      await refresh(page);
      return report.isVisible();
    };
    await until('the report', isShown, PATIENCE_MS);
    await settle(page);
    expect(await seriousViolations(page)).toEqual([]);
    expect(await page.getByText('Skipped files').count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  it('shows rebuilds, previous models and discoveries, and one of them when the other fails to load', async () => {
    const { page } = await signedIn('viewer');
    await show(page, 'index');
    const card = page.locator('li.panel', { hasText: 'text-embedding-3-small@1536' });
    await card.getByText('1 of 2 repositories rebuilt.').waitFor();
    expect(await card.getByRole('progressbar').getAttribute('value')).toBe('50');
    await card.getByText(/^kept, to be deleted in \d/).waitFor();
    await page.getByRole('row', { name: /^platform completed .* 2 0 0 / }).waitFor();
    await page.route('**/api/v1/collections', (route) => route.abort());
    await page.reload();
    await page.getByText('The service is not responding.').first().waitFor();
    await page.getByRole('row', { name: /^platform / }).waitFor();
  });

  it('downloads the runs that match as CSV with the names of projects, and leads from a bar to its runs', async () => {
    const { page } = await signedIn('viewer');
    await goTo(page, `#/history?repository=${world.repositories[MIXED]!.id}&trigger=manual`);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: /^Download CSV/ }).click(),
    ]);
    const lines = (await readFile(await download.path(), 'utf8')).trim().split('\r\n');
    expect(lines[0]).toContain('id,repository_id,project_path,branch,');
    expect(lines.slice(1).every((line) => line.includes(`,${MIXED},main,`))).toBe(true);
    await show(page, 'charts');
    const chart = page.locator('figure', { hasText: 'Runs by outcome' });
    expect(await chart.getByRole('row').count()).toBe(0);
    await chart.getByText('Show as table').click();
    await chart.getByRole('row').nth(1).waitFor();
    await chart.locator('g.is-link').last().click();
    await page.getByRole('heading', { level: 1, name: 'History' }).waitFor();
    expect(page.url()).toMatch(/from=.*&to=/);
  });

  it('finds code and shows its file and lines', async () => {
    const { page } = await signedIn('viewer');
    await show(page, 'search');
    await page.getByLabel('Query').fill('refund a payment to the bank');
    await page.getByRole('button', { name: 'Search', exact: true }).click();
    await page.getByRole('heading', { name: 'src/refund.ts:1-3' }).waitFor();
    await page.getByText('bank.payBack(order.total)').waitFor();
  });

  it('finds repositories by a part of their path, and pauses and resumes a schedule', async () => {
    const { page } = await signedIn('operator');
    await show(page, 'repositories');
    await page.getByLabel('Project').fill('STORE');
    await page.getByRole('button', { name: 'Filter' }).click();
    await page.getByText('1–1 of 1').waitFor();
    await page.getByLabel(`Choose ${MIXED} @ main`).check();
    await page.getByRole('button', { name: 'Pause: 1 repository' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Pause the schedules' }).click();
    await page.getByRole('row', { name: /storefront.* paused/ }).waitFor();
    await page.getByRole('link', { name: `${MIXED} @ main`, exact: true }).click();
    await page.getByRole('link', { name: 'Schedules' }).click();
    await page.getByText('paused', { exact: true }).first().waitFor();
    await page.getByRole('button', { name: /^Resume/ }).click();
    await page.getByText('At 04:00').waitFor();
    await page.locator('.ticks li').nth(4).waitFor();
  });

  it('shows a viewer no button that changes anything', async () => {
    const { page } = await signedIn('viewer');
    await page.getByText('test-viewer · viewer').waitFor();
    await show(page, 'repositories');
    await page.getByText(MIXED).waitFor();
    expect(await page.getByRole('button', { name: CHANGING }).count()).toBe(0);
    await show(page, 'history');
    await page.getByLabel('Status').selectOption('failed');
    await settle(page);
    await page.getByRole('link', { name: BROKEN }).first().click();
    await page.getByText('Triggered by').waitFor();
    expect(await page.getByRole('button', { name: CHANGING }).count()).toBe(0);
  });

  it('explains a malformed, a wrong and a revoked token', async () => {
    const { page } = await open();
    const alert = page.getByRole('alert');
    const enter = async (token: string, message: string | RegExp): Promise<void> => {
      await page.getByLabel('API token').fill(token);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await alert.getByText(message).waitFor();
    };
    await enter('“rtd_copied”', /Copy it again/);
    await enter('wrong', /The token is/);
    const { id, token } = await world.service.post<{ id: string; token: string }>('/api/v1/tokens', {
      name: 'soon revoked',
      role: 'viewer',
    });
    await signIn(page, token);
    expect((await world.service.call('DELETE', `/api/v1/tokens/${id}`)).status).toBe(204);
    await alert.getByText('The token is unknown, expired or revoked.').waitFor();
    expect(await page.title()).toBe('Sign in · Repotide');
    expect(await page.evaluate('sessionStorage.length')).toBe(0);
  });

  it('keeps the token after a reload, but not in the URL, in a cookie or in lasting storage', async () => {
    const { page } = await signedIn('viewer');
    await page.reload();
    await page.getByRole('heading', { name: 'Now' }).waitFor();
    const kept = await page.evaluate('JSON.stringify([localStorage, document.cookie, location.href])');
    expect(kept).not.toContain(world.tokens.viewer);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('API token').waitFor();
    expect(await page.evaluate('sessionStorage.length')).toBe(0);
  });

  it('keeps showing the last data while the service does not respond, and recovers', async () => {
    const { page } = await signedIn('viewer');
    await show(page, 'cluster');
    await page.route('**/api/v1/cluster', (route) => route.abort());
    await refresh(page);
    const failures = page.getByText('The service is not responding.');
    await failures.first().waitFor();
    await page.getByRole('row', { name: /^repotide-0/ }).waitFor();
    await page.unroute('**/api/v1/cluster');
    await page.getByRole('button', { name: 'Try again' }).first().click();
    await until('the failure notice to disappear', async () => (await failures.count()) === 0, PATIENCE_MS);
  });

  it('offers a way back from a URL with an empty page or an unknown repository', async () => {
    const { page } = await signedIn('viewer');
    await goTo(page, '#/history?page=9999');
    await page.getByText(/This page is empty/).waitFor();
    await page.getByRole('link', { name: 'Go to the first page' }).click();
    await page.getByText(/^1–25 of /).waitFor();
    await goTo(page, `#/history?repository=${UNKNOWN_ID}`);
    await page.getByText('No runs match these filters.').waitFor();
    expect(await page.getByLabel('Repository').inputValue()).toBe(UNKNOWN_ID);
    await page.getByRole('link', { name: 'Clear filters' }).click();
    await page.getByText(/^1–25 of /).waitFor();
  });

  it('can be used by keyboard alone', async () => {
    const { page } = await open();
    await page.getByLabel('API token').focus();
    await page.keyboard.type(world.tokens.viewer);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Now' }).waitFor();
    const focused = (): Promise<string> => page.evaluate('document.activeElement.textContent.trim()');
    for (let steps = 0; steps < 30 && (await focused()) !== 'History'; steps++) {
      await page.keyboard.press('Tab');
    }
    expect(await focused()).toBe('History');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'History', level: 1 }).waitFor();
  });

  it.each([
    ['Sync', false],
    ['Full sync', true],
  ])('returns the keyboard focus to the button after %s', async (action, hasQuestion) => {
    const { page } = await signedIn('operator');
    await openRepository(page, MIXED);
    const label = `${action}: ${MIXED} @ main`;
    await page.getByRole('button', { name: label, exact: true }).focus();
    await page.keyboard.press('Enter');
    if (hasQuestion) {
      await page.getByRole('dialog').waitFor();
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
    }
    const announcement = page.locator('.announcement', { hasText: MIXED });
    await announcement.waitFor();
    expect(await page.evaluate('document.activeElement.getAttribute("aria-label")')).toBe(label);
    await announcement.getByRole('button', { name: 'Dismiss' }).click();
    await announcement.waitFor({ state: 'hidden' });
  });

  it('sends its files compressed, revalidated and with a strict content security policy', async () => {
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

  // Last, because no other test can use the repository afterwards.
  it('shows the runs of a deleted repository with its name', async () => {
    const { id } = world.repositories[BROKEN]!;
    expect((await world.service.call('DELETE', `/api/v1/repositories/${id}`)).status).toBe(204);
    const { page } = await signedIn('viewer');
    await goTo(page, `#/history?repository=${id}`);
    await page
      .getByRole('link', { name: `${BROKEN} @ release` })
      .first()
      .waitFor();
    const shown = () => page.getByLabel('Repository').inputValue();
    await until('its name', async () => (await shown()) === `${BROKEN} @ release (deleted)`, PATIENCE_MS);
  });
}
