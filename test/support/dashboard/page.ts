import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { type Browser, type Page } from 'playwright-core';
import { until } from '../command-line.js';

export type ColourScheme = 'light' | 'dark';
/** For any one wait: a machine that does everything else as well needs long for what usually takes moments. */
export const PATIENCE_MS = 120_000;
export const DESKTOP = { width: 1200, height: 760 };
export const PHONE = { width: 390, height: 844 };

export const VIEWS = {
  now: { hash: '#/', heading: 'What runs now' },
  repositories: { hash: '#/repositories', heading: 'Repositories' },
  history: { hash: '#/history', heading: 'History' },
  charts: { hash: '#/charts', heading: 'Charts' },
  index: { hash: '#/index', heading: 'Index' },
  cluster: { hash: '#/cluster', heading: 'Locks & pods' },
  search: { hash: '#/search?q=refund+payment', heading: 'Search' },
} as const;
export type ViewName = keyof typeof VIEWS;

export interface OpenPage {
  page: Page;
  /** What the browser complained of: errors and warnings of its console, and what the page threw. */
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
  await page.getByRole('navigation', { name: 'Views' }).waitFor();
}

/** Goes there as a link would, and waits until nothing is loading. */
export async function show(page: Page, view: ViewName): Promise<void> {
  await page.goto(new URL(VIEWS[view].hash, page.url()).href);
  await page.getByRole('heading', { level: 1, name: VIEWS[view].heading }).waitFor();
  await settle(page);
}

export async function settle(page: Page): Promise<void> {
  await until(
    'the answers',
    async () => (await page.locator('[aria-busy="true"]').count()) === 0,
    PATIENCE_MS,
  );
}

interface AxeResults {
  violations: { id: string; impact: string | null; nodes: { html: string; failureSummary?: string }[] }[];
}

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

/** Violations of axe's serious and critical classes, with where they are. */
export async function seriousViolations(page: Page): Promise<string[]> {
  // By the debugger, as the page's own policy lets no foreign script in.
  await page.evaluate(await readFile(AXE, 'utf8'));
  const { violations } = await page.evaluate(() =>
    (globalThis as unknown as { axe: { run(): Promise<AxeResults> } }).axe.run(),
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
