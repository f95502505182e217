// Writes docs/images/dashboard-*.png; `npm run docs:screenshots` calls it.
import { fileURLToPath } from 'node:url';
import { type Page } from 'playwright-core';
import { CHROMIUM_MISSING, findChromium, startChromium } from '../chromium.js';
import { until } from '../command-line.js';
import { DESKTOP, openPage, PHONE, settle, show, signIn, type ViewName, VIEWS } from './page.js';
import { startTestServer } from '../test-server.js';
import { createDashboardWorld, type DashboardWorld } from './world.js';

const IMAGES = fileURLToPath(new URL('../../../docs/images/', import.meta.url));

const path = await findChromium();
if (path === null) throw new Error(CHROMIUM_MISSING);
const stopTestServer = await startTestServer(process.env);
const world = await createDashboardWorld();
const browser = await startChromium(path);
try {
  await world.heldRun();
  const { page: light } = await openPage(browser, world.service.url, 'light', DESKTOP);
  await take(light, 'sign-in');
  await signIn(light, world.tokens.admin);
  await takeViews(light, Object.keys(VIEWS) as ViewName[]);
  await showFiles(light, world);
  await take(light, 'execution');
  const { page: dark } = await openPage(browser, world.service.url, 'dark', DESKTOP);
  await signIn(dark, world.tokens.admin);
  await takeViews(dark, ['now', 'charts', 'index'], 'dark');
  const { page: phone } = await openPage(browser, world.service.url, 'light', PHONE);
  await signIn(phone, world.tokens.admin);
  await takeViews(phone, ['now', 'repositories', 'history', 'index'], 'phone');
} finally {
  await browser.close();
  await world.remove();
  await stopTestServer();
}

async function takeViews(page: Page, views: readonly ViewName[], variant?: string): Promise<void> {
  for (const view of views) {
    await show(page, view);
    if (view === 'now') {
      const bar = page.getByRole('progressbar').first();
      await until('progress', async () => Number(await bar.getAttribute('value')) > 0);
    }
    await take(page, variant === undefined ? view : `${view}-${variant}`);
  }
}

async function showFiles(page: Page, { service, repositories }: DashboardWorld): Promise<void> {
  const id = repositories['web/storefront']!.id;
  const { items } = await service.get<{ items: { id: string }[] }>(
    `/api/v1/executions?repository_id=${id}&trigger=manual&limit=1`,
  );
  await page.goto(`${service.url}/#/history/${items[0]!.id}`);
  await page.getByText('assets/logo.png').waitFor();
  await settle(page);
}

async function take(page: Page, name: string): Promise<void> {
  await page.screenshot({ path: `${IMAGES}dashboard-${name}.png` });
}
