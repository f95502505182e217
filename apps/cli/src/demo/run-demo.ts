import { type INestApplicationContext } from '@nestjs/common';
import {
  type Execution,
  ExecutionStore,
  type ManifestEntry,
  ManifestStore,
  type Repository,
  RepositoryStore,
} from '@core/domain';
import { AnswersService, openContext, setUpProcess } from '../../../server/src/index.js';
import { summarize } from '../output/summaries.js';
import { printHits } from '../output/hits.js';
import { tableOfExecutions } from '../output/tables.js';
import { asAnswered, hitAsAnswered } from '../embedded/as-answered.js';
import { findOrRegister, syncNow } from '../embedded/sync-project.js';
import { interruptSignal } from '../service/interrupt.js';
import { checkSearch, checkSecondRun, checkThirdRun, checkTree } from './checks.js';
import { addFiles, type Edits, editRepository, isEditable } from './edits.js';
import { setStage, type Stage } from './stage.js';

export interface DemoOptions {
  path: string;
  logLevel: string;
}

/** Shows a first sync, an incremental sync and a search on a real repository. Checks each claim before it prints it. */
export async function runDemo({ path, logLevel }: DemoOptions): Promise<void> {
  const signal = interruptSignal();
  say(`Repotide demo on ${path}\n`);
  const stage = await setStage(path, logLevel);
  try {
    const { config, logger } = setUpProcess(stage.env, process.stderr);
    say('Starting: embedded PostgreSQL for state and vectors, the lexical embedder, nothing external.');
    const context = await openContext(config, logger);
    try {
      await tour(new Guide(context, stage, signal));
    } finally {
      await context.close();
    }
  } finally {
    await stage.close();
  }
}

async function tour(guide: Guide): Promise<void> {
  const { stage } = guide;
  const repository = await guide.register();
  say(
    `Registered ${repository.projectPath} at branch ${repository.branch}, served over the GitLab REST API.`,
  );

  title('1. First run: everything is new');
  await guide.sync(repository);
  let files = await guide.manifest(repository);
  if (!isEditable(files)) {
    say('  There are too few files to edit, rename and delete: the copy gets three more.');
    await addFiles(stage.clone.repository);
    await guide.sync(repository);
    files = await guide.manifest(repository);
  }
  await checkTree(stage, files);
  say(skippedSummary(files));

  title('2. Second run: nothing changed');
  const second = await guide.sync(repository);
  checkSecondRun(second, stage.gitlab.requests.length);

  title('3. Third run: one file edited, one renamed, one deleted');
  const edits = await editRepository(stage.clone.repository, files);
  say(
    `  edited   ${edits.edited}\n  renamed  ${edits.renamed.from} -> ${edits.renamed.to}\n  deleted  ${edits.deleted}`,
  );
  const third = await guide.sync(repository);
  const renamed = files.find((file) => file.path === edits.renamed.from);
  checkThirdRun(third, renamed?.chunkCount ?? 0);
  await checkTree(stage, await guide.manifest(repository));

  await showRecord(guide, repository, edits);
  say('\nEverything above was checked against git itself. Next: npm start, or docs/api.md.');
}

async function showRecord(guide: Guide, repository: Repository, edits: Edits): Promise<void> {
  title('4. The execution log (schedule_execution_logs)');
  const runs = (await guide.executions(repository)).map((run) => asAnswered(run, repository));
  say(tableOfExecutions(runs));

  title(`5. Search for the line that was just written: ${edits.marker.slice(0, 40)}...`);
  const hits = await guide.search(edits.marker);
  checkSearch(hits[0], edits);
  printHits(hits.map(hitAsAnswered));
}

/** Calls the services of the demo for one repository. */
class Guide {
  constructor(
    private readonly context: INestApplicationContext,
    readonly stage: Stage,
    private readonly signal: AbortSignal,
  ) {}

  register(): Promise<Repository> {
    return findOrRegister(this.context, { project: this.stage.projectPath }, this.signal);
  }

  async sync({ id }: Repository): Promise<Execution> {
    this.stage.gitlab.resetLog();
    const repository = await this.context.get(RepositoryStore).find(id);
    const execution = await syncNow(this.context, repository!, { full: false, signal: this.signal });
    say(summarize(asAnswered(execution, repository!)));
    return execution;
  }

  async manifest(repository: Repository): Promise<ManifestEntry[]> {
    const entries: ManifestEntry[] = [];
    const store = this.context.get(ManifestStore);
    for await (const page of store.listEntries(repository.id)) entries.push(...page);
    return entries;
  }

  async executions(repository: Repository): Promise<Execution[]> {
    const store = this.context.get(ExecutionStore);
    return (await store.list({ repositoryId: repository.id }, { limit: 10, offset: 0 })).items.toReversed();
  }

  async search(query: string) {
    const { items } = await this.context.get(AnswersService).search({ query, limit: 3 }, this.signal);
    return items;
  }
}

function skippedSummary(files: readonly ManifestEntry[]): string {
  const reasons = new Map<string, number>();
  for (const { skipReason } of files) {
    if (skipReason !== null) reasons.set(skipReason, (reasons.get(skipReason) ?? 0) + 1);
  }
  const listed = [...reasons].map(([reason, count]) => `${count} ${reason}`).join(', ');
  const chunks = files.reduce((sum, file) => sum + file.chunkCount, 0);
  return `  index:  ${files.length} tracked files, ${chunks} chunks${listed ? `; left out with a reason: ${listed}` : ''}`;
}

function title(text: string): void {
  say(`\n${text}`);
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
