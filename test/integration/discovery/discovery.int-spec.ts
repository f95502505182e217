import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { previewDiscovery, runDiscovery } from '@core/discovery';
import { type Discovery } from '@core/domain';
import { type DiscoveryWorld, FOREVER, startDiscoveryWorld } from './world.js';

let world: DiscoveryWorld;
beforeEach(async () => {
  world = await startDiscoveryWorld();
});
afterEach(() => world.stop());

const projectOf = async (path: string) => {
  const { items } = await world.repositories.list({ projectPath: path }, { limit: 1, offset: 0 });
  return items[0]!;
};
/** The response of GitLab for a deleted project, or one that the token can no longer see. */
async function vanish(path: string): Promise<() => void> {
  const project = world.gitlab.projectById((await projectOf(path)).projectId!);
  project.hidden = true;
  return () => {
    project.hidden = false;
  };
}

describe('Discovery of new projects', () => {
  it('registers each project once, with a schedule, and keeps it', async () => {
    await world.addProjects('team/a', 'team/sub/b', 'other/c');
    await world.addEmpty('team/empty');
    const discovery = await world.discover();
    expect(await world.run(discovery)).toMatchObject({
      status: 'completed',
      counts: { projectsListed: 3, added: 2, kept: 0, skipped: 1, failed: 0 },
    });
    expect(await world.registered()).toEqual(['team/a@main', 'team/sub/b@main']);
    const { id, excludeGlobs, discoveryId } = await projectOf('team/a');
    expect({ excludeGlobs, discoveryId }).toEqual({ excludeGlobs: ['**/*.snap'], discoveryId: discovery.id });
    const schedules = await world.schedules.list({ repositoryId: id }, { limit: 5, offset: 0 });
    expect(schedules.items).toMatchObject([{ cronExpression: '7 * * * *', isActive: true }]);
    expect(await world.run(discovery)).toMatchObject({ counts: { added: 0, kept: 2, retired: 0 } });
    expect(await world.registered()).toHaveLength(2);
  });

  it('registers only projects and branches that match its patterns', async () => {
    await world.git.branch('release/1');
    await world.git.branch('topic');
    await world.addProjects('team/app', 'team/app-fork', 'team/lib');
    const discovery = await world.discover({
      includeProjects: ['team/app*'],
      excludeProjects: ['**/*-fork'],
      branches: ['main', 'release/*'],
    });
    await world.run(discovery);
    expect(await world.registered()).toEqual(['team/app@main', 'team/app@release/1']);
  });

  it('never changes or retires a project that was registered by hand', async () => {
    await world.addProjects('team/a', 'team/b', 'team/c');
    const discovery = await world.discover({ graceHours: 0 });
    await world.repositories.create({
      baseUrl: discovery.baseUrl,
      collectionName: 'repotide',
      includeGlobs: [],
      excludeGlobs: [],
      provider: 'gitlab',
      projectId: 1,
      projectPath: 'team/a',
      branch: 'main',
      maxFileBytes: 1,
      chunkSize: 100,
      chunkOverlap: 0,
      credentialId: null,
    });
    expect(await world.run(discovery)).toMatchObject({ counts: { added: 2, kept: 1 } });
    await vanish('team/a');
    expect(await world.run(discovery)).toMatchObject({ counts: { retired: 0, missing: 0 } });
    expect(await projectOf('team/a')).toMatchObject({ discoveryId: null, missingSince: null });
  });

  it('a preview shows what a run would do, and changes nothing', async () => {
    await world.addProjects('team/a', 'team/b');
    const discovery = await world.discover();
    const preview = await previewDiscovery(discovery, false, world.ports, FOREVER());
    expect(preview.add.map(({ projectPath }) => projectPath)).toEqual(['team/a', 'team/b']);
    expect(await world.registered()).toEqual([]);
  });

  it('continues after a project that cannot be read, and ends as partial', async () => {
    await world.addProjects('team/a', 'team/b');
    const discovery = await world.discover();
    world.gitlab.faults.add({ url: /projects\/1\/repository/, effect: { kind: 'status', status: 403 } });
    const outcome = await world.run(discovery);
    expect(outcome).toMatchObject({ status: 'partial', counts: { added: 1, failed: 1 } });
    expect(outcome.errorMessage).toContain('team/a');
  });
});

describe('Discovery of missing projects', () => {
  let discovery: Discovery;
  beforeEach(async () => {
    await world.addProjects('team/a', 'team/b', 'team/c');
    discovery = await world.discover();
    await world.run(discovery);
  });

  it('retires a project only when it was missing for the whole grace period', async () => {
    await vanish('team/a');
    expect(await world.run(discovery)).toMatchObject({ counts: { missing: 1, retired: 0, kept: 2 } });
    await world.age(23);
    expect(await world.run(discovery)).toMatchObject({ counts: { missing: 1, retired: 0 } });
    const { id } = await projectOf('team/a');
    await world.age(1);
    expect(await world.run(discovery)).toMatchObject({ counts: { missing: 0, retired: 1 } });
    expect(await world.registered()).toEqual(['team/b@main', 'team/c@main']);
    expect((await world.repositories.listUnpurged()).map((each) => each.id)).toEqual([id]);
  });

  it('keeps a project that returns within its grace period, and starts a new period next time', async () => {
    const comeBack = await vanish('team/a');
    await world.run(discovery);
    await world.age(30);
    comeBack();
    expect(await world.run(discovery)).toMatchObject({ counts: { restored: 1, retired: 0, kept: 3 } });
    expect(await projectOf('team/a')).toMatchObject({ missingSince: null });
    await vanish('team/a');
    expect(await world.run(discovery)).toMatchObject({ counts: { missing: 1, retired: 0 } });
  });

  it('identifies a project by its number: keeps it when renamed, retires it when moved out of the group', async () => {
    world.gitlab.moveProject(1, 'team/sub/renamed');
    world.gitlab.moveProject(2, 'elsewhere/b');
    expect(await world.run(discovery)).toMatchObject({ counts: { added: 0, kept: 2, missing: 1 } });
    await world.age(25);
    expect(await world.run(discovery)).toMatchObject({ counts: { retired: 1 } });
    expect(await world.registered()).toEqual(['team/c@main', 'team/sub/renamed@main']);
  });

  it('keeps a project that is missing in the listing while GitLab still shows it in the group', async () => {
    const { id } = await projectOf('team/b');
    await world.database.query(
      `UPDATE repositories SET missing_since = now() - interval '9 days' WHERE id = $1`,
      [id],
    );
    const claimed = await claim();
    // The listing of this run lacks one project, and the response does not show that.
    const sources = {
      open: async (...args: Parameters<typeof world.ports.sources.open>) => {
        const source = await world.ports.sources.open(...args);
        const listProjects: typeof source.listProjects = async (...request) =>
          (await source.listProjects(...request)).filter(({ projectPath }) => projectPath !== 'team/b');
        return Object.assign(Object.create(source) as typeof source, {
          listProjects,
          findProject: source.findProject.bind(source),
          headOf: source.headOf.bind(source),
        });
      },
    };
    const outcome = await runDiscovery(
      claimed.discovery,
      claimed.run,
      { ...world.ports, sources },
      FOREVER(),
    );
    expect(outcome).toMatchObject({ counts: { retired: 0, missing: 1 } });
    expect(await world.registered()).toContain('team/b@main');
  });

  it('retires archived projects unless archived_projects is include', async () => {
    world.gitlab.projectById(1).archived = true;
    await world.run(discovery);
    await world.age(25);
    expect(await world.run(discovery)).toMatchObject({ counts: { retired: 1 } });
    const keeping = await world.discover({ name: 'keeping', archivedProjects: 'include' });
    expect(await world.run(keeping)).toMatchObject({ counts: { added: 1, kept: 2 } });
  });

  it('retires a deleted branch, and follows a renamed default branch', async () => {
    world.gitlab.projectById(1).defaultBranch = 'trunk';
    await world.git.branch('trunk');
    expect(await world.run(discovery)).toMatchObject({ counts: { added: 1, missing: 1, kept: 2 } });
    await world.age(25);
    await world.run(discovery);
    expect(await world.registered()).toEqual(['team/a@trunk', 'team/b@main', 'team/c@main']);
  });

  it.each([
    ['a refused request', { kind: 'status', status: 403 } as const, 'forbidden'],
    ['an invisible group', { kind: 'status', status: 404 } as const, 'not_found'],
    ['a cut response', { kind: 'cut', afterBytes: 20 } as const, 'temporary'],
  ])('retires nothing after %s from GitLab', async (_what, effect, kind) => {
    await vanish('team/a');
    await world.run(discovery);
    await world.age(99);
    world.gitlab.faults.add({ url: /groups/, effect });
    await expect(world.run(discovery)).rejects.toMatchObject({ kind });
    expect(await world.registered()).toHaveLength(3);
  });
});

describe('A listing that lacks most of the known projects', () => {
  it('changes nothing until it is confirmed with force', async () => {
    await world.addProjects('team/a', 'team/b', 'team/c', 'team/d');
    const discovery = await world.discover();
    await world.run(discovery);
    for (const path of ['team/a', 'team/b', 'team/c']) await vanish(path);
    await expect(world.run(discovery)).rejects.toMatchObject({
      kind: 'conflict',
      code: 'discovery_loss_refused',
      details: { projects_listed: 1, projects_known: 4, projects_lost: 3 },
    });
    expect(await projectOf('team/a')).toMatchObject({ missingSince: null });
    expect(await world.run(discovery, true)).toMatchObject({ counts: { missing: 3, retired: 0 } });
    await world.age(25);
    expect(await world.run(discovery)).toMatchObject({ counts: { retired: 3 } });
    expect(await world.registered()).toEqual(['team/d@main']);
  });

  it('may be empty, but projects excluded by a pattern do not count as missing', async () => {
    world.gitlab.addGroup('team');
    await world.addProjects('team/a', 'team/b', 'team/c');
    const discovery = await world.discover();
    await world.run(discovery);
    const edited = await world.store.update(discovery.id, { excludeProjects: ['team/[ab]'] }, () => null);
    expect(await world.run(edited)).toMatchObject({ counts: { missing: 2, kept: 1 } });
    await vanish('team/c');
    for (const path of ['team/a', 'team/b']) await vanish(path);
    await expect(world.run(edited)).rejects.toMatchObject({ code: 'discovery_loss_refused' });
    expect(await world.registered()).toHaveLength(3);
  });
});

async function claim() {
  const { items } = await world.store.list({ limit: 1, offset: 0 });
  await world.store.enqueue({ discoveryId: items[0]!.id, force: false, requestedBy: null });
  return (await world.store.claim('pod-a'))!;
}
