import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type ProjectListing, type Source } from '@core/domain';
import { type GitLabStandIn, startGitLabStandIn } from '@devkit';
import { GitFixture } from './git-fixture.js';
import { failureOf, openSource } from './open-source.js';
import { sendJson, startScriptedServer } from './scripted-server.js';

const GROUP: ProjectListing = {
  groupPath: 'team/platform',
  includeSubgroups: true,
  includeArchived: false,
  membersOnly: true,
};
const INSTANCE: ProjectListing = { ...GROUP, groupPath: null };
const signal = () => new AbortController().signal;
const idsOf = async (source: Source, listing: ProjectListing) =>
  (await source.listProjects(listing, signal())).map(({ projectId }) => projectId);

describe('Listing projects of GitLab', () => {
  let fixture: GitFixture;
  let gitlab: GitLabStandIn;
  let source: Source;

  beforeAll(() => {
    fixture = new GitFixture();
    fixture.write('a.txt', 'a\n');
    fixture.stage();
    fixture.commit('one');
  });
  afterAll(() => fixture.remove());

  beforeEach(async () => {
    gitlab = await startGitLabStandIn();
    ({ source } = await openSource(gitlab.url, { defaultToken: gitlab.token }));
  });
  afterEach(() => gitlab.stop());

  const add = (path: string, more = {}) => gitlab.addProject({ path, gitDir: fixture.dir, ...more });
  const addMany = async (count: number) => {
    for (let index = 1; index <= count; index += 1)
      await add(`team/platform/${index % 2 ? 'sub/' : ''}p${index}`);
  };

  it('lists every project of a group over several pages', async () => {
    await addMany(205);
    await add('team/other/p');
    expect(await idsOf(source, GROUP)).toEqual(Array.from({ length: 205 }, (_, index) => index + 1));
    expect(gitlab.requests).toHaveLength(3);
    expect(await idsOf(source, { ...GROUP, includeSubgroups: false })).toHaveLength(102);
  });

  it('lists the instance by keyset, and on a server without keysets by number', async () => {
    await addMany(120);
    await add('open/p', { visibility: 'public', roles: {} });
    expect(await idsOf(source, INSTANCE)).toHaveLength(120);
    expect(await idsOf(source, { ...INSTANCE, membersOnly: false })).toHaveLength(121);
    gitlab.settings.keysetSupported = false;
    expect(await idsOf(source, INSTANCE)).toHaveLength(120);
  });

  it('omits projects that are archived (by default), marked for deletion, or shared into the group', async () => {
    const [kept, archived, going] = [
      await add('team/platform/a'),
      await add('team/platform/b'),
      await add('team/platform/c'),
    ];
    await add('elsewhere/d', { sharedWith: ['team/platform'] });
    archived.archived = true;
    going.markedForDeletionOn = '2026-12-01';
    expect(await idsOf(source, GROUP)).toEqual([kept.id]);
    expect(await idsOf(source, { ...GROUP, includeArchived: true })).toContain(archived.id);
    expect(await source.findProject(going.id, signal())).toMatchObject({ isMarkedForDeletion: true });
  });

  it('throws for a group that GitLab does not show, instead of listing nothing', async () => {
    gitlab.addGroup('team/platform');
    expect(await idsOf(source, GROUP)).toEqual([]);
    const error = await failureOf(source.listProjects({ ...GROUP, groupPath: 'nobody' }, signal()));
    expect(error).toMatchObject({ kind: 'not_found', code: 'group_not_found' });
    expect(error.message).toContain('shows no group nobody');
  });

  it('lists branches over several pages, none of an empty project', async () => {
    const project = await add('team/platform/a');
    const many = Array.from({ length: 120 }, (_, index) => `b${String(index).padStart(3, '0')}`);
    for (const name of many) fixture.git('branch', name);
    expect((await source.listBranches(project.id, signal())).sort()).toEqual([...many, 'main'].sort());
    expect(await failureOf(source.listBranches(999, signal()))).toMatchObject({ code: 'project_not_found' });
  });

  it('fails as a whole when a later page fails', async () => {
    await addMany(150);
    gitlab.faults.add({ url: /groups/, after: 1, effect: { kind: 'status', status: 403 } });
    expect(await failureOf(source.listProjects(GROUP, signal()))).toMatchObject({ kind: 'forbidden' });
  });
});

describe('A listing that changes while it is read', () => {
  const row = (id: number) => ({ id, path_with_namespace: `team/p${id}`, default_branch: 'main' });
  const rows = (from: number, to: number) =>
    Array.from({ length: to - from + 1 }, (_, index) => row(from + index));

  /** Returns the given listings one after another, each a list of pages with its total. */
  async function serve(listings: { total: number; page: ReturnType<typeof rows> }[][]) {
    const pages = listings.flatMap((listing) =>
      listing.map((page, index) => ({ ...page, number: index + 1, isLast: index === listing.length - 1 })),
    );
    const server = await startScriptedServer((_request, response, seen) => {
      const { page, total, number, isLast } = pages[Math.min(seen.length, pages.length) - 1]!;
      const link = isLast ? {} : { link: `<http://gitlab.invalid/x?page=${number + 1}>; rel="next"` };
      const next = isLast ? '' : `${number + 1}`;
      sendJson(response, page, 200, { 'x-total': `${total}`, 'x-next-page': next, ...link });
    });
    const { source } = await openSource(server.url);
    return { server, source };
  }

  it('a listing is read again when the total changed, since a project may have moved between pages', async () => {
    const slipped = [
      { total: 150, page: rows(1, 100) },
      { total: 149, page: rows(102, 150) },
    ];
    const steady = [
      { total: 149, page: rows(2, 101) },
      { total: 149, page: rows(102, 150) },
    ];
    const { server, source } = await serve([slipped, steady]);
    expect(await idsOf(source, GROUP)).toEqual(rows(2, 150).map(({ id }) => id));
    expect(server.seen).toHaveLength(4);
    await server.stop();
  });

  it('a listing fails when it changes at every attempt', async () => {
    const doubled = [
      { total: 150, page: rows(1, 100) },
      { total: 150, page: rows(100, 149) },
    ];
    const { server, source } = await serve([doubled, doubled, doubled]);
    expect(await failureOf(source.listProjects(GROUP, signal()))).toMatchObject({
      kind: 'temporary',
      code: 'listing_unsteady',
    });
    expect(server.seen).toHaveLength(6);
    await server.stop();
  });
});
