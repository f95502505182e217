import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createGitRepository } from '@devkit';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type Browser, type Page } from 'playwright-core';
import { CHROMIUM_MISSING, findChromium, startChromium } from '../support/chromium.js';
import { until } from '../support/command-line.js';
import { enter, focusedName, tabTo, typeInto } from '../support/dashboard/keyboard.js';
import {
  isTooWide,
  openPage,
  PATIENCE_MS,
  PHONE,
  seriousViolations,
  settle,
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
import { startEventReceiver } from '../support/event-receiver.js';

const chromium = await findChromium();
const START_LIMIT_MS = 600_000;
const SIZES = { large: { width: 1440, height: 900 }, small: { width: 1024, height: 768 }, phone: PHONE };
const DUPLICATE_IDS = `(() => {
  const ids = [...document.querySelectorAll('[id]')].map(({ id }) => id);
  return ids.filter((id, index) => ids.indexOf(id) !== index);
})()`;

if (chromium === null) {
  it.skip(`the dashboard by keyboard (${CHROMIUM_MISSING})`, () => undefined);
} else {
  describe('the dashboard by keyboard alone', () => walk(chromium));
}

function walk(executablePath: string): void {
  let world: DashboardWorld;
  let browser: Browser;
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'repotide-keyboard-'));
    world = await createDashboardWorld();
    const git = await createGitRepository(join(folder, 'fresh'));
    await git.write('src/a.ts', 'export const a = 1;\n').commit('First');
    for (const path of ['fresh/one', 'fresh/two'])
      await world.gitlab.addProject({ path, gitDir: git.directory });
    browser = await startChromium(executablePath);
  }, START_LIMIT_MS);
  afterEach(() => Promise.all(browser.contexts().map((context) => context.close())));
  afterAll(async () => {
    await browser?.close();
    await world?.remove();
    await rm(folder, { recursive: true, force: true });
  });

  async function signedIn(): Promise<Page> {
    const { page } = await openPage(browser, world.service.url, 'light', SIZES.large);
    await typeInto(page, 'API token', world.tokens.admin);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Now' }).waitFor();
    await settle(page);
    return page;
  }

  async function goTo(page: Page, hash: string): Promise<void> {
    await page.goto(`${world.service.url}/${hash}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await settle(page);
  }

  const expectFocus = (page: Page, name: string | RegExp): Promise<void> =>
    until(
      `the focus on ${String(name)}`,
      async () => {
        const found = (await focusedName(page)) ?? '';
        return typeof name === 'string' ? found === name : name.test(found);
      },
      PATIENCE_MS,
    );

  async function expectAccessible(page: Page, what: string): Promise<void> {
    const faults: string[] = [];
    for (const [size, viewport] of Object.entries(SIZES)) {
      await page.setViewportSize(viewport);
      if (await isTooWide(page)) faults.push(`${size}: too wide`);
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        faults.push(...(await seriousViolations(page)).map((fault) => `${size} ${colorScheme}: ${fault}`));
      }
    }
    await page.emulateMedia({ colorScheme: 'light' });
    await page.setViewportSize(SIZES.large);
    expect({ what, faults, ids: await page.evaluate(DUPLICATE_IDS) }).toEqual({ what, faults: [], ids: [] });
  }

  /** Opens a dialog with the focused button and closes it with Escape, which returns the focus. */
  async function expectDialog(page: Page, opener: string | RegExp): Promise<void> {
    await enter(page, opener);
    const dialog = page.getByRole('dialog');
    await dialog.waitFor();
    await settle(page);
    await expectAccessible(page, `dialog of ${String(opener)}`);
    for (let steps = 0; steps < 25; steps++) {
      await page.keyboard.press('Tab');
      await focusedName(page);
      expect(
        await page.evaluate(
          'document.activeElement.closest("dialog") ?? document.activeElement === document.body',
        ),
      ).toBeTruthy();
    }
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    await expectFocus(page, opener);
  }

  it('connects a GitLab: each step begins with the focus on its name, and a wrong cron expression gets the focus', async () => {
    const page = await signedIn();
    await enter(page, 'Set up');
    await enter(page, 'Connect a GitLab');
    await expectFocus(page, 'Connect a GitLab');
    await enter(page, 'Connect and test');
    await expectFocus(page, 'Projects');
    await tabTo(page, /^A group/);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowUp');
    await typeInto(page, 'Find', 'fresh');
    await page.getByText('Loading…').waitFor({ state: 'hidden' });
    await tabTo(page, /^fresh/);
    await page.keyboard.press('Space');
    await enter(page, 'Next: schedule');
    await expectFocus(page, 'Schedule');
    await tabTo(page, 'Repeat');
    await page.keyboard.type('by a cron');
    await typeInto(page, 'Cron expression', '*/90 * * * *');
    await page.getByText(/^In minute: .*every 90 minutes is two schedules/).waitFor();
    await enter(page, 'Register and sync');
    await expectFocus(page, 'Cron expression');
    await page.keyboard.press('Control+A');
    await page.keyboard.type('H 4 * * *');
    await page.keyboard.press('Enter');
    await page.getByText('All 2 are synced.').waitFor();
    await expectFocus(page, 'First sync');
  });

  it('finds why a file is not indexed, and changes, pauses and removes a schedule without losing its place', async () => {
    const page = await signedIn();
    await enter(page, 'Repositories');
    await enter(page, `${MIXED} @ main`);
    await expectFocus(page, new RegExp(`^${MIXED}`));
    await enter(page, '3 not indexed: why?');
    await typeInto(page, 'Find a file', 'PRICES');
    await page.keyboard.press('Enter');
    await page.getByRole('row', { name: /data\/prices\.csv no too_large/ }).waitFor();
    await tabTo(page, 'Schedules', 'Shift+Tab');
    await page.keyboard.press('Enter');
    await settle(page);
    await expectDialog(page, /^Change: schedule/);
    await enter(page, 'Add a schedule');
    await tabTo(page, 'Add the schedule');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await expectFocus(page, 'Add a schedule');
    await enter(page, /^Pause: schedule H/);
    await expectFocus(page, /^Resume: schedule H/);
    await enter(page, /^Remove: schedule H/);
    await expectFocus(page, 'Go back');
    await enter(page, 'Remove the schedule');
    await expectFocus(page, /^(Schedules|Pause: schedule|web\/storefront)/);
  });

  it('changes the settings of a repository and asks for its name before it is removed', async () => {
    const page = await signedIn();
    await goTo(page, `#/repositories/${world.repositories[MIXED]!.id}/settings`);
    await typeInto(page, 'Leave out (one glob a line)', 'nothing/**');
    await enter(page, 'Save');
    await page.getByText('settings saved').waitFor();
    await expectFocus(page, 'Save');
    await expectDialog(page, 'Remove the repository');
    await tabTo(page, `Verify: ${MIXED} @ main`, 'Shift+Tab');
    await page.keyboard.press('Enter');
    // The page of the run that it started.
    await page.waitForURL(/#\/history\//);
    await expectFocus(page, new RegExp(`^${MIXED}`));
    await tabTo(page, 'Dismiss');
    await page.keyboard.press('Enter');
    expect(await focusedName(page)).not.toBeNull();
  });

  it('orders, chooses and pauses repositories, with the choice kept for the next action', async () => {
    const page = await signedIn();
    await goTo(page, '#/repositories?search=platform');
    await enter(page, 'Size');
    await expectFocus(page, 'Size ↑');
    await page.keyboard.press('Enter');
    await expectFocus(page, 'Size ↓');
    await tabTo(page, 'Choose all on this page', 'Shift+Tab');
    await page.keyboard.press('Space');
    await tabTo(page, /^Pause: \d/, 'Shift+Tab');
    await page.keyboard.press('Enter');
    await enter(page, 'Pause the schedules');
    await page.locator('.announcement', { hasText: 'schedules paused.' }).waitFor();
    await expectFocus(page, /^Pause: \d/);
    await enter(page, /^Resume: \d/);
    await page.locator('.announcement', { hasText: 'schedules resumed.' }).waitFor();
    await expectFocus(page, /^Resume: \d/);
  });

  it('opens and leaves the dialogs that unlock and cancel a run', async () => {
    await world.heldRun();
    const page = await signedIn();
    await goTo(page, '#/cluster');
    await expectDialog(page, `Unlock: ${HELD} @ main`);
    await goTo(page, '#/');
    await expectDialog(page, `Cancel: ${HELD} @ main`);
    await enter(page, `Cancel: ${HELD} @ main`);
    await enter(page, 'Cancel the run');
    await page.getByText('No runs in progress.').waitFor();
    await until('a place for the focus', async () => (await focusedName(page)) !== null, PATIENCE_MS);
  });

  it('shows a new token and the secret of a webhook where the keyboard is, and keeps the focus near them when they are closed', async () => {
    const receiver = await startEventReceiver();
    const page = await signedIn();
    await goTo(page, '#/setup');
    await expectDialog(page, 'Add a token');
    await page.keyboard.press('Enter');
    await page.keyboard.type('by keyboard');
    await page.keyboard.press('Enter');
    await expectFocus(page, 'The token by keyboard');
    await expectAccessible(page, 'a token that is shown once');
    await enter(page, 'Copy');
    await page.locator('.announcement', { hasText: 'Copied.' }).waitFor();
    await enter(page, 'Done');
    await expectFocus(page, 'API tokens');
    await enter(page, 'Revoke: by keyboard');
    await enter(page, 'Revoke the token');
    await page.getByRole('row', { name: /by keyboard.*revoked/ }).waitFor();
    await expectFocus(page, 'API tokens');
    await expectDialog(page, 'Add a credential');
    await enter(page, 'Add a webhook');
    await page.keyboard.type('by keyboard');
    await typeInto(page, 'URL', `${receiver.url}/in`);
    await tabTo(page, /^A run finished/);
    await page.keyboard.press('Space');
    await page.keyboard.press('Enter');
    await page.locator('.notice code').waitFor();
    await enter(page, 'Done');
    await expectDialog(page, 'Deliveries: by keyboard');
    await typeInto(page, 'Longest run, in seconds', '3600');
    await enter(page, 'Save');
    await page.getByText('Settings saved.').waitFor();
    await expectFocus(page, 'Save');
    await receiver.stop();
  });

  it('searches: a slash goes to the query, arrows to the hits, Escape back', async () => {
    const page = await signedIn();
    await goTo(page, '#/search');
    await page.keyboard.press('/');
    await page.keyboard.type('refund a payment to the bank');
    const hit = page.getByRole('link', { name: 'src/refund.ts:1-3' });
    await hit.waitFor();
    await settle(page);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowUp');
    await expectFocus(page, 'src/refund.ts:1-3');
    expect(await hit.getAttribute('href')).toContain('/src/refund.ts#L1');
    await page.keyboard.press('Escape');
    await expectFocus(page, 'Query');
  });

  it('retries what failed from Now, and leads over the run back to the list', async () => {
    const page = await signedIn();
    await enter(page, `Retry now: ${BROKEN} @ release`);
    await page.locator('.announcement', { hasText: 'run queued' }).waitFor();
    await until('a place for the focus', async () => (await focusedName(page)) !== null, PATIENCE_MS);
    await enter(page, 'The run');
    await expectFocus(page, new RegExp(`^${BROKEN}`));
  });

  it.each(Object.keys(VIEWS) as ViewName[])(
    'walks through all of %s and comes out at its end',
    async (view) => {
      const page = await signedIn();
      await goTo(page, VIEWS[view].hash);
      await page.evaluate('document.activeElement.blur()');
      await tabTo(page, 'Skip to content');
      await page.keyboard.press('Enter');
      expect(await page.evaluate('document.activeElement.id')).toBe('main');
      await tabTo(page, 'Skip to content');
      await page.emulateMedia({ colorScheme: 'dark' });
      await page.setViewportSize(PHONE);
      await tabTo(page, 'Repotide');
      await tabTo(page, 'Skip to content');
    },
  );
}
