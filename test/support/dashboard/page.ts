import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { type Browser, type Page } from 'playwright-core';
import { until } from '../command-line.js';

export type ColourScheme = 'light' | 'dark';
/** Limit of each wait, for a machine that runs all other tests at the same time. */
export const PATIENCE_MS = 120_000;
export const DESKTOP = { width: 1200, height: 760 };
export const PHONE = { width: 390, height: 844 };

export const VIEWS = {
  now: { hash: '#/', heading: 'Now' },
  repositories: { hash: '#/repositories', heading: 'Repositories' },
  history: { hash: '#/history', heading: 'History' },
  charts: { hash: '#/charts', heading: 'Charts' },
  index: { hash: '#/index', heading: 'Index' },
  cluster: { hash: '#/cluster', heading: 'Cluster' },
  search: { hash: '#/search?q=refund+payment', heading: 'Search' },
} as const;
export type ViewName = keyof typeof VIEWS;

export interface OpenPage {
  page: Page;
  /** Errors and warnings of the browser's console, and uncaught errors of the page. */
  complaints: string[];
}

export async function openPage(
  browser: Browser,
  url: string,
  colorScheme: ColourScheme,
  viewport: { width: number; height: number },
): Promise<OpenPage> {
  const context = await browser.newContext({
    colorScheme,
    viewport,
    reducedMotion: 'reduce',
    locale: 'en-GB',
    // Chromium without a window does not grant it to a click.
    permissions: ['clipboard-write'],
  });
  context.setDefaultTimeout(PATIENCE_MS);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  await page.goto(url);
  return { page, complaints };
}

export async function signIn(page: Page, token: string): Promise<void> {
  await page.getByLabel('API token').fill(token);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('navigation', { name: 'Main' }).waitFor();
}

/** Opens a view as a link does, and waits until it is loaded. */
export async function show(page: Page, view: ViewName): Promise<void> {
  await page.goto(new URL(VIEWS[view].hash, page.url()).href);
  await page.getByRole('heading', { level: 1, name: VIEWS[view].heading }).waitFor();
  await settle(page);
}

export async function settle(page: Page): Promise<void> {
  const isLoaded = async (): Promise<boolean> => (await page.locator('[aria-busy="true"]').count()) === 0;
  await until('the page to load', isLoaded, PATIENCE_MS);
}

/** Makes the page load its data now, as it does when the user comes back to its tab. */
export async function refresh(page: Page): Promise<void> {
  await page.evaluate('document.dispatchEvent(new Event("visibilitychange"))');
}

interface AxeResults {
  violations: { id: string; impact: string | null; nodes: { html: string; failureSummary?: string }[] }[];
}

interface Axe {
  run(options: { runOnly?: readonly string[] }): Promise<AxeResults>;
}

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

/**
 * The serious and critical violations that axe finds, with their elements.
 * @param rules default: all of axe's.
 */
export async function seriousViolations(page: Page, rules?: readonly string[]): Promise<string[]> {
  // Through the debugger, because the page's content security policy allows no other script.
  if (!(await page.evaluate('"axe" in globalThis'))) await page.evaluate(await readFile(AXE, 'utf8'));
  const { violations } = await page.evaluate(
    (only) => (globalThis as unknown as { axe: Axe }).axe.run(only ? { runOnly: only } : {}),
    rules,
  );
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary ?? ''}`),
    );
}

export function isTooWide(page: Page): Promise<boolean> {
  return page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth');
}
