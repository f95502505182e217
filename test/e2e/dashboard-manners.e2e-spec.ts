import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Browser, type Page } from 'playwright-core';
import { CHROMIUM_MISSING, findChromium, startChromium } from '../support/chromium.js';
import { until } from '../support/command-line.js';
import { DESKTOP, isTooWide, openPage, PATIENCE_MS, PHONE, show, signIn } from '../support/dashboard/page.js';
import {
  BROKEN,
  createDashboardWorld,
  HELD,
  MIXED,
  type DashboardWorld,
} from '../support/dashboard/world.js';
import { UNKNOWN_ID } from '../support/registration.js';
import { executionThat } from '../support/service-resources.js';

/** Chromium, a first database and a week of history, beside all other tests. */
const START_LIMIT_MS = 600_000;
const chromium = await findChromium();

if (chromium === null) {
  it.skip(`the dashboard's manners in a browser (${CHROMIUM_MISSING})`, () => undefined);
} else {
  describe('the dashboard’s manners', () => watchManners(chromium));
}

function watchManners(executablePath: string): void {
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

  async function signedIn(token: string, screen = DESKTOP): Promise<Page> {
    const { page } = await openPage(browser, world.service.url, 'light', screen);
    await signIn(page, token);
    return page;
  }
  const goTo = (page: Page, hash: string) => page.goto(`${world.service.url}/${hash}`);
  const focused = (page: Page): Promise<string | null> =>
    page.evaluate('document.activeElement.getAttribute("aria-label")');

  it('leaves the keyboard where it was, after an answer and after a question', async () => {
    const page = await signedIn(world.tokens.operator);
    await show(page, 'repositories');
    for (const [label, isAsked] of [
      [`Sync: ${MIXED} @ main`, false],
      [`Full sync: ${MIXED} @ main`, true],
    ] as const) {
      await page.getByRole('button', { name: label, exact: true }).focus();
      await page.keyboard.press('Enter');
      if (isAsked) {
        await page.getByRole('dialog').waitFor();
        await page.keyboard.press('Tab');
        await page.keyboard.press('Enter');
      }
      const told = page.locator('.announcement', { hasText: MIXED });
      await told.waitFor();
      expect(await focused(page)).toBe(label);
      await told.getByRole('button', { name: 'Close this message' }).click();
    }
    await page.context().close();
  });

  it('makes the best of an address that was written by hand', async () => {
    const page = await signedIn(world.tokens.viewer);
    await goTo(page, '#/history?page=none');
    await page.getByText(/^1–25 of /).waitFor();
    await goTo(page, '#/history?page=9999');
    await page.getByText(/nothing is left for this page/).waitFor();
    await page.getByRole('link', { name: 'To the first page' }).click();
    await page.getByText(/^1–25 of /).waitFor();
    await goTo(page, `#/history?repository=${UNKNOWN_ID}`);
    await page.getByText('No run is like this.').waitFor();
    expect(await page.getByLabel('Repository').inputValue()).toBe(UNKNOWN_ID);
    await page.getByRole('link', { name: 'Show all', exact: true }).click();
    await page.getByText(/^1–25 of /).waitFor();
    await page.context().close();
  });

  it('names the tab after the view, and after the run and how it stands', async () => {
    const executionId = await world.startHeldRun();
    await executionThat(world.service, executionId, ({ status }) => status === 'running', PATIENCE_MS);
    const page = await signedIn(world.tokens.viewer);
    const isCalled = (title: string) =>
      until(title, async () => (await page.title()) === `${title} · Repotide`, PATIENCE_MS);
    await isCalled('Now');
    await goTo(page, `#/history/${executionId}`);
    await isCalled(`running: ${HELD} @ main`);
    await world.cancel(executionId);
    await isCalled(`cancelled: ${HELD} @ main`);
    await show(page, 'history');
    await isCalled('History');
    await page.context().close();
  });

  it('finds repositories by a part of their path', async () => {
    const page = await signedIn(world.tokens.viewer);
    await show(page, 'repositories');
    await page.getByLabel('Project').fill('STORE');
    await page.getByRole('button', { name: 'Find' }).click();
    await page.getByText('1–1 of 1').waitFor();
    await page.getByRole('heading', { name: MIXED }).waitFor();
    await page.context().close();
  });

  it('cancels a run that waits on the page of that run', async () => {
    const executionId = await world.startHeldRun();
    await executionThat(world.service, executionId, ({ status }) => status === 'running', PATIENCE_MS);
    const page = await signedIn(world.tokens.operator);
    // A queue that is never empty would need as many held runs as there are workers.
    await page.route(`**/api/v1/executions/${executionId}`, async (route) => {
      const response = await route.fetch();
      const execution = (await response.json()) as { status: string; completed_at: string | null };
      if (execution.completed_at === null) execution.status = 'queued';
      await route.fulfill({ response, json: execution });
    });
    await goTo(page, `#/history/${executionId}`);
    await page.getByText('It waits for its turn.').waitFor();
    await page.getByRole('button', { name: `Cancel: ${HELD} @ main` }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await page.locator('h1', { hasText: 'cancelled' }).waitFor();
    await page.context().close();
  });

  it('refuses what can be no token without asking, and says when one is good no longer', async () => {
    const { page } = await openPage(browser, world.service.url, 'light', DESKTOP);
    await page.getByLabel('API token').fill('“rtd_copied”');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page
      .getByRole('alert')
      .getByText(/Copy it again/)
      .waitFor();
    const { id, token } = await world.service.post<{ id: string; token: string }>('/api/v1/tokens', {
      name: 'soon revoked',
      role: 'viewer',
    });
    await signIn(page, token);
    expect((await world.service.call('DELETE', `/api/v1/tokens/${id}`)).status).toBe(204);
    await page.getByRole('alert').getByText('The token is unknown, expired or revoked.').waitFor();
    expect(await page.title()).toBe('Sign in · Repotide');
    expect(await page.evaluate('sessionStorage.length')).toBe(0);
    await page.context().close();
  });

  it('keeps the release of a lock in reach on a phone', async () => {
    const executionId = await world.startHeldRun();
    await executionThat(world.service, executionId, ({ status }) => status === 'running', PATIENCE_MS);
    const page = await signedIn(world.tokens.admin, PHONE);
    await show(page, 'cluster');
    const { x, width } = (await page.getByRole('button', { name: `Unlock: ${HELD}` }).boundingBox())!;
    expect(x + width).toBeLessThan(PHONE.width);
    expect(await isTooWide(page)).toBe(false);
    await world.cancel(executionId);
    await page.context().close();
  });

  // Last, as nobody has it back.
  it('tells the runs of a deleted repository by its name', async () => {
    const { id } = world.repositories[BROKEN]!;
    expect((await world.service.call('DELETE', `/api/v1/repositories/${id}`)).status).toBe(204);
    const page = await signedIn(world.tokens.viewer);
    await goTo(page, `#/history?repository=${id}`);
    const name = `${BROKEN} @ release (deleted)`;
    await page.getByRole('link', { name }).first().waitFor();
    expect(await page.getByLabel('Repository').locator('option:checked').textContent()).toBe(name);
    await page.context().close();
  });
}
