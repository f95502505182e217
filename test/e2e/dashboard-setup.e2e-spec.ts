import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createGitRepository, type GitLabStandIn, startGitLabStandIn } from '@devkit';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type Browser, type Page } from 'playwright-core';
import { CHROMIUM_MISSING, findChromium, startChromium } from '../support/chromium.js';
import { until } from '../support/command-line.js';
import { isSignedWith, startEventReceiver } from '../support/event-receiver.js';
import {
  DESKTOP,
  openPage,
  PATIENCE_MS,
  seriousViolations,
  settle,
  signIn,
} from '../support/dashboard/page.js';
import { createInstallation, type Installation, type Service } from '../support/installation.js';

const chromium = await findChromium();
const START_LIMIT_MS = 300_000;

if (chromium === null) {
  it.skip(`setting up in the dashboard (${CHROMIUM_MISSING})`, () => undefined);
} else {
  describe('setting up in the dashboard', () => setUp(chromium));
}

function setUp(executablePath: string): void {
  let folder: string;
  let gitlab: GitLabStandIn;
  let installation: Installation;
  let service: Service;
  let browser: Browser;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'repotide-setup-'));
    const git = await createGitRepository(join(folder, 'work'));
    await git.write('src/a.ts', 'export const a = 1;\n').commit('First');
    gitlab = await startGitLabStandIn();
    for (const path of ['team/api', 'team/sub/web', 'solo/tool', 'solo/other'])
      await gitlab.addProject({ path, gitDir: git.directory });
    installation = await createInstallation({
      GITLAB_URL: 'http://gitlab.invalid',
      OUTGOING_ALLOWED_HOSTS: 'http://127.0.0.1:*',
      REPOTIDE_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
    });
    service = await installation.serve();
    browser = await startChromium(executablePath);
  }, START_LIMIT_MS);
  afterEach(() => Promise.all(browser.contexts().map((context) => context.close())));
  afterAll(async () => {
    await browser?.close();
    await installation?.remove();
    await gitlab?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  async function signedIn(): Promise<{ page: Page; complaints: string[] }> {
    const opened = await openPage(browser, service.url, 'light', DESKTOP);
    await signIn(opened.page, 'admin-token-of-the-tests');
    return opened;
  }
  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

  /** The first steps of the wizard. */
  async function connect(page: Page): Promise<void> {
    await page.goto(`${service.url}/#/setup/connect`);
    await page.getByLabel('Address of the GitLab').fill(gitlab.url);
    await page.getByLabel('Access token').fill('glpat-that-is-not-accepted');
    await button(page, 'Connect and test').click();
    await page.getByRole('alert').getByText('source_token_rejected').waitFor();
    await page.getByLabel('Access token').fill(gitlab.token);
    await button(page, 'Connect and test').click();
    await page.getByText('Connected: the token sees 4 projects.').waitFor();
  }

  it('connects a GitLab and follows the first sync of a group, with the part of a schedule at fault named', async () => {
    const { page } = await signedIn();
    await page.getByRole('navigation').getByRole('link', { name: 'Repositories' }).click();
    await page.getByRole('link', { name: 'Connect a GitLab' }).click();
    await connect(page);
    const stored = () => service.get<{ items: { repository_count: number }[] }>('/api/v1/credentials');
    await page.getByRole('link', { name: '← Set up' }).click();
    await until('the removal of a token that nothing uses', async () => (await stored()).items.length === 0);
    await connect(page);
    await page.getByLabel(/\bteam 2 projects/).check();
    await button(page, 'Next: schedule').click();
    await page.getByLabel('Repeat').selectOption('custom');
    await page.getByRole('textbox', { name: 'Cron expression' }).fill('0 25 * * *');
    await page.getByText(/^In hour: /).waitFor();
    await page.getByLabel('Repeat').selectOption('daily');
    await page.getByLabel('Time', { exact: true }).fill('03:30');
    await page.getByText(/03:30/).first().waitFor();
    expect(await seriousViolations(page)).toEqual([]);
    await button(page, 'Register and sync').click();
    await page.getByText('All 2 are synced.').waitFor();
    // The token that was refused left nothing behind.
    expect((await stored()).items.map(({ repository_count }) => repository_count)).toEqual([2]);
    const schedules = await service.get<{ items: { project_path: string; cron_expression: string }[] }>(
      '/api/v1/schedules',
    );
    expect(schedules.items.map(({ cron_expression }) => cron_expression)).toEqual([
      '30 3 * * *',
      '30 3 * * *',
    ]);
    expect(schedules.items.map(({ project_path }) => project_path).toSorted()).toEqual([
      'team/api',
      'team/sub/web',
    ]);
  });

  it('registers a chosen project, changes its settings and schedule, and removes it after its name was typed', async () => {
    const { page, complaints } = await signedIn();
    await connect(page);
    await page.getByLabel('Single projects').check();
    await page.getByLabel('Find').fill('TOOL');
    await page.getByLabel(/solo\/tool/).check();
    await button(page, 'Next: schedule').click();
    await button(page, 'Register and sync').click();
    await page.getByText('All 1 are synced.').waitFor();
    await page.getByRole('link', { name: 'solo/tool @ main' }).click();

    await page.getByRole('link', { name: 'Settings' }).click();
    await page.getByLabel('Leave out (one glob a line)').fill('**/*.snap\ndocs/**');
    await page.getByLabel('Branch').fill('no-such-branch');
    await button(page, 'Save').click();
    await page.getByRole('alert').getByText('branch_not_found').waitFor();
    expect(await page.evaluate('document.activeElement.name')).toBe('branch');
    await page.getByLabel('Branch').fill('main');
    await button(page, 'Save').click();
    await page.getByText('settings saved').waitFor();

    await page.getByRole('link', { name: 'Schedules' }).click();
    await page.getByRole('button', { name: /^Change: schedule/ }).click();
    await page.getByRole('dialog').getByLabel('Repeat').selectOption('weekly');
    await page.getByRole('dialog').getByRole('combobox', { name: /^Day/ }).selectOption('Friday');
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page.getByText(/only on Friday/).waitFor();

    await page.getByRole('link', { name: 'Settings' }).click();
    await button(page, 'Remove the repository').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel(/^Type solo\/tool/).fill('solo/wrong');
    await dialog.getByRole('button', { name: 'Remove the repository' }).click();
    expect(await dialog.isVisible()).toBe(true);
    expect(await seriousViolations(page)).toEqual([]);
    await dialog.getByLabel(/^Type solo\/tool/).fill('solo/tool');
    await dialog.getByRole('button', { name: 'Remove the repository' }).click();
    await page.getByRole('heading', { level: 1, name: 'Repositories' }).waitFor();
    await settle(page);
    expect(await page.getByRole('link', { name: 'solo/tool' }).count()).toBe(0);
    // The refused token and branch.
    expect(complaints.filter((text) => !/status of (422|502)/.test(text))).toEqual([]);
  });

  it('shows a new API token once, which signs in with its role until it is revoked', async () => {
    const { page } = await signedIn();
    await page.getByRole('link', { name: 'Set up' }).click();
    await button(page, 'Add a token').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('night shift');
    await dialog.getByLabel('Role').selectOption('operator');
    await dialog.getByLabel('Scope (one group or project a line)').fill('team');
    await dialog.getByRole('button', { name: 'Add the token' }).click();
    const token = await page.locator('.notice code').innerText();
    const { body } = await service.call<{ role: string; scope: string[] }>(
      'GET',
      '/api/v1/identity',
      undefined,
      token,
    );
    expect(body).toMatchObject({ role: 'operator', scope: ['team'] });
    await button(page, 'Done').click();
    expect(await page.getByText(token).count()).toBe(0);
    await page.getByRole('button', { name: 'Revoke: night shift' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke the token' }).click();
    await page.getByRole('row', { name: /night shift operator team revoked/ }).waitFor();
    const isRefused = async () =>
      (await service.call('GET', '/api/v1/identity', undefined, token)).status === 401;
    await until('the token to be refused', isRefused, PATIENCE_MS);
  });

  it('adds a webhook for events, tests it, and lists what was sent', async () => {
    const receiver = await startEventReceiver();
    const { page } = await signedIn();
    await page.goto(`${service.url}/#/setup`);
    await button(page, 'Add a webhook').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('chat');
    await dialog.getByLabel('URL').fill(`${receiver.url}/in`);
    // Nothing here causes this event: a run of an earlier test may still end.
    await dialog.getByLabel('The points of a repository were lost').check();
    expect(await seriousViolations(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Add the webhook' }).click();
    const secret = await page.locator('.notice code').innerText();
    await page.getByRole('button', { name: 'Test: chat' }).click();
    await page.getByText('the receiver accepted a test event').waitFor();
    expect(receiver.events.map(({ type }) => type)).toEqual(['webhook.test']);
    expect(isSignedWith(secret, receiver.events[0]!)).toBe(true);
    receiver.status = 500;
    await page.getByRole('button', { name: 'Test: chat' }).click();
    await page.getByText('The receiver answered 500.').waitFor();
    await page.getByRole('button', { name: 'Deliveries: chat' }).click();
    await dialog.getByRole('row', { name: /webhook.test .*delivered/ }).waitFor();
    expect(await seriousViolations(page)).toEqual([]);
    await page.keyboard.press('Escape');
    expect(await dialog.count()).toBe(0);
    await receiver.stop();
  });

  it('asks for consent before it edits what was declared in files', async () => {
    const { id } = await service.post<{ id: string }>('/api/v1/repositories', {
      ...{ project_path: 'solo/other', base_url: gitlab.url },
      credential_id: await credentialOf('declared'),
    });
    const resources = [
      { kind: 'repository', key: 'solo/other@main', resource_id: id, digest: '0'.repeat(64) },
    ];
    await service.call('PUT', '/api/v1/declarations/platform', { resources });
    const { page } = await signedIn();
    await page.goto(`${service.url}/#/repositories/${id}/settings`);
    await page.getByText('Declared in files.').waitFor();
    const consent = page.getByLabel('Edit it here anyway');
    await page.getByLabel('Leave out (one glob a line)').fill('docs/**');
    await button(page, 'Save').click();
    expect(await page.locator('input[type=checkbox]:invalid').count()).toBe(1);
    await consent.check();
    await button(page, 'Save').click();
    await page.getByText('settings saved').waitFor();
    const { exclude_globs } = await service.get<{ exclude_globs: string[] }>(`/api/v1/repositories/${id}`);
    expect(exclude_globs).toEqual(['docs/**']);
  });

  it('pauses all schedules and says who did', async () => {
    const { page } = await signedIn();
    await page.goto(`${service.url}/#/setup`);
    const form = page.getByRole('region', { name: 'Settings of the service' });
    await form.getByLabel('Schedules').selectOption('true');
    await form.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Settings saved.').waitFor();
    await form
      .getByText(/^Changed by REPOTIDE_ADMIN_TOKEN/)
      .first()
      .waitFor();
    const { items } = await service.get<{ items: { name: string; value: unknown }[] }>('/api/v1/settings');
    expect(items).toContainEqual(expect.objectContaining({ name: 'scheduling_paused', value: true }));
  });

  async function credentialOf(name: string): Promise<string> {
    const body = { name, token: gitlab.token, base_url: gitlab.url };
    return (await service.post<{ id: string }>('/api/v1/credentials', body)).id;
  }
}
