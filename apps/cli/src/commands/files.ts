import { CommandFailure, EXIT, usageFailure } from '../failure.js';
import { formatBytes } from '../output/summaries.js';
import { leftOut, printJson, shownTime, table } from '../output/tables.js';
import { answerOf, type RepotideClient, type Schemas } from '../service/client.js';
import { findRepository, type Repository } from '../service/repositories.js';
import { words } from './options.js';
import { type ServiceCommand } from './service-command.js';
import { withService } from './with-service.js';

type File = Schemas['FileDto'];

const STATUSES = ['indexed', 'skipped', 'failed'] as const satisfies readonly Schemas['FileStatus'][];

interface ListOptions {
  status?: Schemas['FileStatus'][];
  path?: string;
  secrets?: boolean;
  limit: number;
}

export function addFilesCommand(program: ServiceCommand): void {
  const files = program
    .command('files')
    .description('list the files of a repository, and why one is not indexed');
  addList(files);
  addWhy(files);
}

function addList(files: ServiceCommand): void {
  files
    .command('list')
    .alias('ls')
    .description('list files with their state in the index')
    .repository()
    .option('-s, --status <status>', `only ${STATUSES.join(', ')}`, words(STATUSES))
    .option('-p, --path <prefix>', 'only paths that begin with this')
    .option('--secrets', 'only files in which secrets were found')
    .limit(50)
    .json('the rows')
    .answers(
      async ({ client }, name: string, { status, path, secrets, limit }: ListOptions) => {
        const { id } = await findRepository(client, name);
        const query = { limit, status: status?.at(-1), path_prefix: path, has_secrets: secrets };
        return answerOf(client.GET('/api/v1/repositories/{id}/files', { params: { path: { id }, query } }));
      },
      ({ items, total }, name) =>
        table(
          ['path', 'status', 'size', 'chunks', 'why'],
          items.map((file) => [
            file.path,
            file.status,
            file.size_bytes === null ? '-' : formatBytes(file.size_bytes),
            file.chunk_count,
            reasonOf(file),
          ]),
          `No file matches. "repotide repo show ${name}" says whether it was synced.`,
        ) + leftOut(items, total),
      ({ items }) => items,
    )
    .examples(
      'repotide files list group/project --status skipped',
      'repotide files list group/project --path src/ --json',
    );
}

function addWhy(files: ServiceCommand): void {
  files
    .command('why')
    .description('say whether a file is in the index, and if not, why')
    .argument('<path>', 'path from the root of the repository')
    .option('-r, --repo <repository>', 'path, path@branch or id; needed when several are registered')
    .json()
    .action(async (path: string, options: { repo?: string; json?: boolean }, command: ServiceCommand) => {
      await withService(command, async ({ client }) => {
        const repository = await repositoryOf(client, options.repo);
        const file = await findFile(client, repository, path);
        if (options.json) printJson(file);
        else process.stdout.write(`${sentenceOf(file, repository)}\n`);
      });
    })
    .examples('repotide files why dist/app.js --repo group/project');
}

async function repositoryOf(client: RepotideClient, name: string | undefined): Promise<Repository> {
  if (name !== undefined) return findRepository(client, name);
  const { items, total } = await answerOf(
    client.GET('/api/v1/repositories', { params: { query: { limit: 1 } } }),
  );
  if (total === 1 && items[0]) return items[0];
  throw usageFailure('repository_required', `${total} repositories are registered; name one with --repo.`);
}

async function findFile(client: RepotideClient, repository: Repository, path: string): Promise<File> {
  const params = {
    path: { id: repository.id },
    query: { path_prefix: path, sort: 'path' as const, limit: 1 },
  };
  const { items } = await answerOf(client.GET('/api/v1/repositories/{id}/files', { params }));
  // The path itself sorts before what is below it.
  if (items[0]?.path === path) return items[0];
  const known =
    repository.last_synced_commit === null
      ? 'which was never read completely'
      : `as last read at ${repository.last_synced_commit.slice(0, 12)}`;
  const message = `${repository.project_path} at ${repository.branch}, ${known}, has no file ${path}.`;
  throw new CommandFailure(EXIT.failed, 'file_not_found', message);
}

function sentenceOf(file: File, { project_path: project, branch }: Repository): string {
  const where = `${file.path} of ${project} at ${branch}`;
  if (file.status !== 'indexed') return `${where} is not in the index: ${reasonOf(file)}.`;
  const chunks = file.chunk_count === 1 ? '1 chunk' : `${file.chunk_count} chunks`;
  const secrets = file.secret_detail === null ? '' : ` Secrets were removed: ${file.secret_detail}.`;
  return `${where} is in the index, in ${chunks}, since ${shownTime(file.indexed_at)}.${secrets}`;
}

function reasonOf({ skip_reason: reason, skip_detail: detail, last_error: error }: File): string {
  return error ?? [reason, detail].filter(Boolean).join(': ');
}
