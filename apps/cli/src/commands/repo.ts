import { usageFailure } from '../failure.js';
import { confirm } from '../output/confirm.js';
import { leftOut, shownTime, table } from '../output/tables.js';
import { answerOf, type RepotideClient, type Schemas } from '../service/client.js';
import { findCredential, findRepository, projectField } from '../service/repositories.js';
import { isEmpty, wholeNumber } from './options.js';
import { type ServiceCommand } from './service-command.js';

interface Settings {
  branch?: string;
  include?: string[];
  exclude?: string[];
  maxFileBytes?: number;
  chunkSize?: number;
  chunkOverlap?: number;
  credential?: string;
}

interface AddOptions extends Settings {
  baseUrl?: string;
  collection?: string;
  schedule?: string;
}

interface ListOptions {
  collection?: string;
  limit: number;
}

export function addRepoCommand(program: ServiceCommand): void {
  const repo = program.command('repo').description('register, show, change and remove repositories');
  addAdd(repo);
  addList(repo);
  addShow(repo);
  addSet(repo);
  addRemove(repo);
}

function addAdd(repo: ServiceCommand): void {
  const add = repo
    .command('add')
    .description('register a repository; it is read with its first sync')
    .argument('<project>', 'full path (group/project), numeric id, or URL of any git host')
    .option('--base-url <url>', 'address of its GitLab; default: GITLAB_URL of the service')
    .option('--collection <name>', 'collection of its points; default: repotide')
    .option('--schedule <cron>', 'also add this schedule, such as "*/15 * * * *"');
  settingsOf(add)
    .answers(
      async ({ client }, project: string, options: AddOptions) => {
        const { baseUrl: base_url, collection: collection_name, schedule: cron_expression } = options;
        const settings = await changesOf(client, options);
        const body = { ...projectField(project), ...settings, base_url, collection_name };
        const added = await answerOf(client.POST('/api/v1/repositories', { body }));
        if (cron_expression !== undefined) {
          const schedule = { repository_id: added.id, cron_expression };
          await answerOf(client.POST('/api/v1/schedules', { body: schedule }));
        }
        return added;
      },
      (row) => `Registered ${row.project_path} at ${row.branch}: ${row.id}`,
    )
    .examples(
      'repotide repo add group/project --schedule "*/15 * * * *"',
      'repotide repo add group/project --branch release --exclude "**/*.lock" "docs/**"',
      'repotide repo add https://github.com/group/project.git --credential github',
    );
}

function addList(repo: ServiceCommand): void {
  repo
    .command('list')
    .alias('ls')
    .description('list repositories, with their last syncs')
    .argument('[text]', 'only projects whose path contains this')
    .option('--collection <name>', 'only this collection')
    .limit(50)
    .watch()
    .json('the rows')
    .answers(
      async ({ client }, search: string | undefined, { limit, collection }: ListOptions) => {
        const query = { limit, sort: 'project_path' as const, search, collection_name: collection };
        return answerOf(client.GET('/api/v1/repositories', { params: { query } }));
      },
      ({ items, total }, search, { collection }) =>
        table(
          ['project', 'branch', 'commit', 'last sync', 'collection', 'id'],
          items.map((each) => [
            each.project_path,
            each.branch,
            each.last_synced_commit?.slice(0, 12) ?? '-',
            each.last_sync_at === null ? 'never' : shownTime(each.last_sync_at),
            each.collection_name,
            each.id,
          ]),
          search === undefined && collection === undefined
            ? 'No repository is registered yet. Register one: repotide repo add <group/project>'
            : 'No repository matches; "repotide repo list" lists all.',
        ) + leftOut(items, total),
      ({ items }) => items,
    )
    .examples('repotide repo list', 'repotide repo list payment --json', 'repotide repo list --watch 5');
}

function addShow(repo: ServiceCommand): void {
  repo
    .command('show')
    .description('show a repository with all its settings')
    .repository()
    .json()
    .answers(
      ({ client }, name: string) => findRepository(client, name),
      (row) => Object.entries(row).map(fieldOf).join('\n'),
    )
    .examples('repotide repo show group/project', 'repotide repo show group/project@release --json');
}

function fieldOf([name, value]: [string, unknown]): string {
  return `  ${name.padEnd(20)}  ${typeof value === 'string' ? value : JSON.stringify(value)}`;
}

function addSet(repo: ServiceCommand): void {
  const set = repo
    .command('set')
    .description('change settings of a repository; the next run obeys them')
    .repository();
  settingsOf(set)
    .answers(
      async ({ client }, name: string, options: Settings) => {
        const body = await changesOf(client, options);
        if (isEmpty(body)) throw usageFailure('nothing_to_change', 'Give at least one setting to change.');
        const { id } = await findRepository(client, name);
        return answerOf(client.PATCH('/api/v1/repositories/{id}', { params: { path: { id } }, body }));
      },
      (row) => `Changed ${row.project_path} at ${row.branch}; the next run obeys it.`,
    )
    .examples(
      'repotide repo set group/project --branch trunk        # the branch was renamed',
      'repotide repo set group/project --include "src/**" --credential none',
    );
}

function addRemove(repo: ServiceCommand): void {
  repo
    .command('remove')
    .alias('rm')
    .description('delete a repository with its schedules; its points are purged in the background')
    .repository()
    .confirmed()
    .answers(
      async ({ client }, name: string, options: { yes?: boolean }) => {
        const { id, project_path: path, branch } = await findRepository(client, name);
        await confirm(`Delete ${path} at ${branch} and purge its points?`, options.yes);
        await answerOf(client.DELETE('/api/v1/repositories/{id}', { params: { path: { id } } }));
        return `${path} at ${branch}`;
      },
      (name) => `Deleted ${name}; its points are purged in the background.`,
    )
    .examples('repotide repo remove group/project --yes');
}

function settingsOf(command: ServiceCommand): ServiceCommand {
  return command
    .option('-b, --branch <name>', "branch to index; default: the project's default branch")
    .option('--include <glob...>', 'index only matching files')
    .option('--exclude <glob...>', 'leave out matching files')
    .option('--max-file-bytes <n>', 'larger files are not indexed', wholeNumber(1, 104_857_600))
    .option('--chunk-size <n>', 'characters of a chunk', wholeNumber(100, 100_000))
    .option('--chunk-overlap <n>', 'characters that neighbouring chunks share', wholeNumber(0, 50_000))
    .option('--credential <name>', 'stored credential to read it with; "none": the token of the service')
    .json();
}

async function changesOf(
  client: RepotideClient,
  { branch, include, exclude, maxFileBytes, chunkSize, chunkOverlap, credential }: Settings,
): Promise<Schemas['RepositorySettingsDto']> {
  return {
    branch,
    include_globs: include,
    exclude_globs: exclude,
    max_file_bytes: maxFileBytes,
    chunk_size: chunkSize,
    chunk_overlap: chunkOverlap,
    credential_id: credential === undefined ? undefined : await findCredential(client, credential),
  };
}
