import { type Command } from 'commander';
import { usageFailure } from '../failure.js';
import { confirm } from '../output/confirm.js';
import { printJson, printTable, shownTime } from '../output/tables.js';
import { watch } from '../output/watch.js';
import { answerOf, type RepotideClient, type Schemas } from '../service/client.js';
import { findCredential } from '../service/credentials.js';
import { findRepository, projectField, type Repository } from '../service/repositories.js';
import { examples, wholeNumber } from './options.js';
import { withService } from './with-service.js';

interface Settings {
  branch?: string;
  include?: string[];
  exclude?: string[];
  maxFileBytes?: number;
  chunkSize?: number;
  chunkOverlap?: number;
  credential?: string;
  json?: boolean;
}

interface AddOptions extends Settings {
  baseUrl?: string;
  collection?: string;
  schedule?: string;
}

interface ListOptions {
  search?: string;
  collection?: string;
  limit: number;
  watch?: number;
  json?: boolean;
}

export function addRepoCommand(program: Command): void {
  const repo = program.command('repo').description('register, show, change and remove repositories');
  addAdd(repo);
  addList(repo);
  addShow(repo);
  addSet(repo);
  addRemove(repo);
}

function addAdd(repo: Command): void {
  const add = repo
    .command('add')
    .description('register a repository; it is read with its first sync')
    .argument('<project>', 'full path (group/project), numeric id, or URL of any git host')
    .option('--base-url <url>', 'address of its GitLab; default: GITLAB_URL of the service')
    .option('--collection <name>', 'collection of its points; default: repotide')
    .option('--schedule <cron>', 'also add this schedule, such as "*/15 * * * *"');
  settingsOf(add).action(async (project: string, options: AddOptions, command: Command) => {
    const row = await withService(command, async ({ client }) => {
      const body = {
        ...projectField(project),
        ...(await changesOf(client, options)),
        ...(options.baseUrl !== undefined && { base_url: options.baseUrl }),
        ...(options.collection !== undefined && { collection_name: options.collection }),
      };
      const added = await answerOf(client.POST('/api/v1/repositories', { body }));
      if (options.schedule !== undefined) {
        const schedule = { repository_id: added.id, cron_expression: options.schedule };
        await answerOf(client.POST('/api/v1/schedules', { body: schedule }));
      }
      return added;
    });
    if (options.json) printJson(row);
    else process.stdout.write(`Registered ${row.project_path} at ${row.branch}: ${row.id}\n`);
  });
  examples(
    add,
    'repotide repo add group/project --schedule "*/15 * * * *"',
    'repotide repo add group/project --branch release --exclude "**/*.lock" "docs/**"',
    'repotide repo add https://github.com/group/project.git --credential github',
  );
}

function addList(repo: Command): void {
  const list = repo
    .command('list')
    .alias('ls')
    .description('list repositories, with their last syncs')
    .argument('[text]', 'only projects whose path contains this')
    .option('--collection <name>', 'only this collection')
    .option('-n, --limit <n>', 'how many, 1 to 500', wholeNumber(1, 500), 50)
    .option('-w, --watch [seconds]', 'show it again every 2 seconds, until Ctrl-C', wholeNumber(1, 3600))
    .option('--json', 'print the rows as JSON')
    .action(async (text: string | undefined, options: ListOptions, command: Command) => {
      const query = {
        limit: options.limit,
        sort: 'project_path' as const,
        ...(text !== undefined && { search: text }),
        ...(options.collection !== undefined && { collection_name: options.collection }),
      };
      await withService(command, ({ client, signal }) =>
        watch(secondsOf(options.watch), signal, async () => {
          const { items, total } = await answerOf(client.GET('/api/v1/repositories', { params: { query } }));
          if (options.json) printJson(items);
          else printRepositories(items, total, noneOf(options, text));
        }),
      );
    });
  examples(list, 'repotide repo list', 'repotide repo list payment --json', 'repotide repo list --watch 5');
}

/** `--watch` without a number arrives as `true`. */
export function secondsOf(watchOption: number | true | undefined): number | undefined {
  return watchOption === true ? 2 : watchOption;
}

function noneOf({ collection }: ListOptions, text: string | undefined): string {
  const isFiltered = text !== undefined || collection !== undefined;
  if (isFiltered) return 'No repository matches; "repotide repo list" lists all.';
  return 'No repository is registered yet. Register one: repotide repo add <group/project>';
}

function printRepositories(items: readonly Repository[], total: number, none: string): void {
  printTable(
    ['project', 'branch', 'commit', 'last sync', 'collection', 'id'],
    items.map((each) => [
      each.project_path,
      each.branch,
      each.last_synced_commit?.slice(0, 12) ?? '-',
      each.last_sync_at === null ? 'never' : shownTime(each.last_sync_at),
      each.collection_name,
      each.id,
    ]),
    none,
  );
  if (total > items.length) process.stdout.write(`  ${items.length} of ${total}; --limit shows more.\n`);
}

function addShow(repo: Command): void {
  const show = repo
    .command('show')
    .description('show a repository with all its settings')
    .argument('<repository>', 'path, path@branch or id')
    .option('--json', 'print the row as JSON')
    .action(async (name: string, options: { json?: boolean }, command: Command) => {
      const row = await withService(command, ({ client }) => findRepository(client, name));
      if (options.json) printJson(row);
      else for (const [field, value] of Object.entries(row)) printField(field, value);
    });
  examples(show, 'repotide repo show group/project', 'repotide repo show group/project@release --json');
}

function printField(name: string, value: unknown): void {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  process.stdout.write(`  ${name.padEnd(20)}  ${text}\n`);
}

function addSet(repo: Command): void {
  const set = repo
    .command('set')
    .description('change settings of a repository; the next run obeys them')
    .argument('<repository>', 'path, path@branch or id');
  settingsOf(set).action(async (name: string, options: Settings, command: Command) => {
    const row = await withService(command, async ({ client }) => {
      const body = await changesOf(client, options);
      if (Object.keys(body).length === 0)
        throw usageFailure('nothing_to_change', 'Give at least one setting to change.');
      const { id } = await findRepository(client, name);
      return answerOf(client.PATCH('/api/v1/repositories/{id}', { params: { path: { id } }, body }));
    });
    if (options.json) printJson(row);
    else process.stdout.write(`Changed ${row.project_path} at ${row.branch}; the next run obeys it.\n`);
  });
  examples(
    set,
    'repotide repo set group/project --branch trunk        # the branch was renamed',
    'repotide repo set group/project --include "src/**" --credential none',
  );
}

function addRemove(repo: Command): void {
  const remove = repo
    .command('remove')
    .alias('rm')
    .description('delete a repository with its schedules; its points are purged in the background')
    .argument('<repository>', 'path, path@branch or id')
    .option('-y, --yes', 'do not ask')
    .action(async (name: string, options: { yes?: boolean }, command: Command) => {
      await withService(command, async ({ client }) => {
        const { id, project_path: path, branch } = await findRepository(client, name);
        await confirm(`Delete ${path} at ${branch} and purge its points?`, options.yes);
        await answerOf(client.DELETE('/api/v1/repositories/{id}', { params: { path: { id } } }));
        process.stdout.write(`Deleted ${path} at ${branch}; its points are purged in the background.\n`);
      });
    });
  examples(remove, 'repotide repo remove group/project --yes');
}

function settingsOf(command: Command): Command {
  return command
    .option('-b, --branch <name>', "branch to index; default: the project's default branch")
    .option('--include <glob...>', 'index only matching files')
    .option('--exclude <glob...>', 'leave out matching files')
    .option('--max-file-bytes <n>', 'larger files are not indexed', wholeNumber(1, 104_857_600))
    .option('--chunk-size <n>', 'characters of a chunk', wholeNumber(100, 100_000))
    .option('--chunk-overlap <n>', 'characters that neighbouring chunks share', wholeNumber(0, 50_000))
    .option(
      '--credential <name>',
      'name or id of the stored credential to read it with; "none": the token of the service',
    )
    .option('--json', 'print the row as JSON');
}

async function changesOf(
  client: RepotideClient,
  options: Settings,
): Promise<Schemas['RepositorySettingsDto']> {
  const { branch, include, exclude, maxFileBytes, chunkSize, chunkOverlap, credential } = options;
  return {
    ...(branch !== undefined && { branch }),
    ...(include && { include_globs: include }),
    ...(exclude && { exclude_globs: exclude }),
    ...(maxFileBytes !== undefined && { max_file_bytes: maxFileBytes }),
    ...(chunkSize !== undefined && { chunk_size: chunkSize }),
    ...(chunkOverlap !== undefined && { chunk_overlap: chunkOverlap }),
    ...(credential !== undefined && { credential_id: await findCredential(client, credential) }),
  };
}
