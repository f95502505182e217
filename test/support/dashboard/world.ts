import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createGitRepository, generateRepository, startGitLabStandIn, type GitLabStandIn } from '@devkit';
import { until } from '../command-line.js';
import { createInstallation, type Service } from '../installation.js';
import {
  executionThat,
  isOver,
  register,
  schedule,
  startSync,
  type List,
  type RepositoryRow,
} from '../service-resources.js';
import { addGenerations, addHistory } from './history.js';
import { PATIENCE_MS } from './page.js';

export const HELD = 'platform/search-engine';
export const MIXED = 'web/storefront';
export const BROKEN = 'legacy/importer';
const BROKEN_BRANCH = 'release';
const PLAIN = 'platform/billing';

/** Never during a test. */
const FAR_TICK = '0 4 1 1 *';
/** About a sixth of the archive: the run stores some files and shows progress before the download stalls. */
const BYTES_BEFORE_SILENCE = 400_000;
/** Longer than any test, so that a held run ends only when a test ends it. */
const PATIENCE_SECONDS = '3600';
/** The longest limit that the setting takes. */
const REQUEST_LIMIT_SECONDS = '300';

export type DashboardWorld = Awaited<ReturnType<typeof createDashboardWorld>>;

/**
 * A service with data for every view: a repository whose runs complete, one with skipped files, one whose runs fail, and
 * one whose runs hang halfway until they are cancelled; a week of history; and a token of each role.
 */
export async function createDashboardWorld() {
  const directory = await mkdtemp(join(tmpdir(), 'repotide-dashboard-'));
  const gitlab = await startGitLabStandIn();
  const installation = await createInstallation({
    GITLAB_URL: gitlab.url,
    GITLAB_TOKEN: gitlab.token,
    OUTGOING_ALLOWED_HOSTS: 'http://127.0.0.1:*',
    REPOTIDE_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
    POD_NAME: 'repotide-0',
    REQUEST_TIMEOUT_SECONDS: REQUEST_LIMIT_SECONDS,
    MAX_RUN_SECONDS: PATIENCE_SECONDS,
  });
  const remove = async (): Promise<void> => {
    await installation.remove();
    await gitlab.stop();
    await rm(directory, { recursive: true, force: true });
  };
  try {
    const { removeBranch } = await addProjects(gitlab, directory);
    const first = await installation.serve();
    const repositories = await prepare(first, removeBranch);
    await first.stop();
    await installation.withDatabase(async (database) => {
      await addHistory(database);
      await addGenerations(database, repositories[MIXED]!.id);
    });
    const service = await installation.serve();
    const tokens = {
      admin: 'admin-token-of-the-tests',
      operator: await makeToken(service, 'operator'),
      viewer: await makeToken(service, 'viewer'),
    };
    const held = repositories[HELD]!;
    const activeRun = async (): Promise<string | undefined> => {
      const path = `/api/v1/executions?repository_id=${held.id}&status=queued,running&limit=1`;
      return (await service.get<List<{ id: string }>>(path)).items[0]?.id;
    };
    /** Waits until the run has ended. */
    const cancel = async (executionId: string): Promise<void> => {
      await service.post(`/api/v1/executions/${executionId}/cancel`);
      await executionThat(service, executionId, isOver, PATIENCE_MS);
    };
    return {
      service,
      gitlab,
      repositories,
      tokens,
      remove,
      cancel,
      /** The execution of the run that hangs halfway; starts one when none is active. */
      heldRun: async (): Promise<string> => {
        const path = `/api/v1/repositories/${held.id}/sync`;
        const executionId =
          (await activeRun()) ??
          (await service.post<{ execution_id: string }>(path, { full: true })).execution_id;
        await executionThat(service, executionId, ({ status }) => status === 'running', PATIENCE_MS);
        return executionId;
      },
      endHeldRun: async (): Promise<void> => {
        const executionId = await activeRun();
        if (executionId !== undefined) await cancel(executionId);
      },
    };
  } catch (error) {
    await remove();
    throw error;
  }
}

async function addProjects(
  gitlab: GitLabStandIn,
  directory: string,
): Promise<{ removeBranch: () => Promise<void> }> {
  const sizes = { [PLAIN]: 40, [HELD]: 2_400 };
  for (const [path, files] of Object.entries(sizes)) {
    const gitDir = join(directory, path.replace('/', '-'));
    const { repository } = await generateRepository(gitDir, {
      files,
      totalBytes: files * 3_000,
      seed: files,
    });
    const project = await gitlab.addProject({ path, gitDir: repository.directory, defaultBranch: 'main' });
    if (path !== HELD) continue;
    const url = new RegExp(
      `/projects/(${project.id}|${encodeURIComponent(path)})/repository/(archive|files|blobs)`,
    );
    gitlab.faults.add({ url, effect: { kind: 'stall', afterBytes: BYTES_BEFORE_SILENCE } });
  }
  const mixed = await createGitRepository(join(directory, 'mixed'));
  mixed.writeAll({
    'src/checkout.ts': 'export function checkout(basket: Basket): Order {\n  return place(basket);\n}\n',
    'src/refund.ts': 'export function refundPayment(order: Order): void {\n  bank.payBack(order.total);\n}\n',
    'assets/logo.png': Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'),
    'dist/bundle.min.js': `var a=1;${'a+=1;'.repeat(400)}\n`,
    'data/prices.csv': 'price\n'.repeat(300_000),
  });
  await mixed.commit('A shop');
  await gitlab.addProject({ path: MIXED, gitDir: mixed.directory, defaultBranch: 'main' });
  const broken = await createGitRepository(join(directory, 'broken'));
  broken.write('import.sh', 'exit 1\n');
  await broken.commit('An importer');
  await broken.branch(BROKEN_BRANCH);
  await gitlab.addProject({ path: BROKEN, gitDir: broken.directory, defaultBranch: 'main' });
  return { removeBranch: () => broken.deleteBranch(BROKEN_BRANCH) };
}

async function prepare(
  service: Service,
  removeBranch: () => Promise<void>,
): Promise<Record<string, RepositoryRow>> {
  const repositories: Record<string, RepositoryRow> = {};
  for (const path of [PLAIN, MIXED]) repositories[path] = await register(service, path);
  // In its own collection, because no run may change the one that is being rebuilt.
  repositories[HELD] = await register(service, HELD, { collection_name: 'search-engine' });
  repositories[BROKEN] = await register(service, BROKEN, { branch: BROKEN_BRANCH });
  await removeBranch();
  for (const path of [PLAIN, MIXED]) {
    await schedule(service, repositories[path]!.id, { cron_expression: FAR_TICK });
  }
  for (const path of [PLAIN, MIXED, BROKEN]) {
    await executionThat(service, await startSync(service, repositories[path]!), isOver, PATIENCE_MS);
  }
  await discover(service);
  return repositories;
}

/** Runs a discovery whose projects are already registered. */
async function discover(service: Service): Promise<void> {
  const { id } = await service.post<{ id: string }>('/api/v1/discoveries', {
    group_path: 'platform',
    cron_expression: FAR_TICK,
  });
  const isDone = async (): Promise<boolean> => {
    const { items } = await service.get<List<{ status: string }>>(`/api/v1/discoveries/${id}/runs`);
    return items[0]?.status === 'completed';
  };
  await until('the discovery to complete', isDone, PATIENCE_MS);
}

async function makeToken(service: Service, role: string): Promise<string> {
  const { token } = await service.post<{ token: string }>('/api/v1/tokens', { name: `test-${role}`, role });
  return token;
}
