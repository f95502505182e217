import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createIndexWorld, runToItsEnd, type IndexWorld, type ReportedRow } from '../support/index-world.js';
import { until } from '../support/command-line.js';
import { type Service } from '../support/installation.js';
import {
  executionThat,
  isOver,
  register,
  schedule,
  ticks,
  type RepositoryRow,
  type ScheduleRow,
} from '../support/service-resources.js';

const FILES = 8;
/** By the ratio of the estimate: three characters per token. */
const TOKENS_OF_FILE = 200;
const NO_TICK_SOON = '0 0 29 2 *';

let world: IndexWorld;
let service: Service;
let repository: RepositoryRow;
let words = 0;

beforeAll(async () => {
  world = await createIndexWorld();
  await write();
  service = await world.installation.serve();
});
afterAll(() => world?.remove());

/** Gives every file new text, so that no vector is cached. */
async function write(): Promise<void> {
  words++;
  for (let file = 0; file < FILES; file++) {
    const line = `words ${words} of ${file}`.padEnd(99, '.');
    world.git.write(`file-${file}.txt`, `${line}\n`.repeat((TOKENS_OF_FILE * 3) / 100));
  }
  await world.git.commit(`Words ${words}`);
}

/** Each test has its own project, because the daily budget counts the embeddings of a repository. */
beforeEach(async () => {
  await write();
  const path = `team/app-${words}`;
  await world.gitlab.addProject({ path, gitDir: world.git.directory, defaultBranch: 'main' });
  repository = await register(service, path);
});

const sync = (body?: object) => runToItsEnd(service, `/api/v1/repositories/${repository.id}/sync`, body);

/** Makes the schedule due and waits until its run has ended. */
async function tick({ id }: ScheduleRow, minutesAgo: number): Promise<ReportedRow> {
  const former = (await ticks(service, repository)).length;
  await world.database.query(
    `UPDATE schedule_sessions SET next_run_at = date_trunc('minute', clock_timestamp()) - make_interval(mins => $2)
      WHERE id = $1`,
    [id, minutesAgo],
  );
  let rows: ReportedRow[] = [];
  await until('the tick to be over', async () => {
    rows = (await ticks(service, repository)) as ReportedRow[];
    return rows.length > former && rows.every(isOver);
  });
  return rows.at(-1)!;
}

const scheduled = (budget: object) =>
  schedule(service, repository.id, { cron_expression: NO_TICK_SOON, misfire_grace_seconds: 3600, ...budget });

describe('a budget of a sync', () => {
  it('stops the run before it is exceeded; further runs continue until the index is complete', async () => {
    const max_embedding_tokens = 3 * TOKENS_OF_FILE + 100;
    const seen: string[] = [];
    let tokens = 0;
    for (let run = 0; run < 3; run++) {
      const row = await sync({ max_embedding_tokens });
      expect(row.max_embedding_tokens).toBe(max_embedding_tokens);
      expect(row.embedding_tokens).toBeLessThanOrEqual(max_embedding_tokens);
      tokens += row.embedding_tokens;
      seen.push(`${row.status} ${row.error_code} ${row.files_added}`);
      if (run === 0) expect(row.error_message).toContain(`of ${max_embedding_tokens} estimated tokens`);
    }
    expect(seen).toEqual(['partial budget_reached 3', 'partial budget_reached 3', 'completed null 2']);
    expect(tokens).toBe(FILES * TOKENS_OF_FILE);
    expect(await sync()).toMatchObject({ status: 'completed', embedding_tokens: 0 });
  });

  it('names the file that is too large for it, and the setting to change', async () => {
    const row = await sync({ max_embedding_tokens: TOKENS_OF_FILE - 1 });
    expect(row).toMatchObject({ status: 'partial', error_code: 'budget_reached', files_added: 0 });
    expect(row.error_message).toMatch(/"file-\d\.txt" alone needs 200 tokens/);
    expect(row.error_message).toContain('raise max_embedding_tokens,');
  });
});

describe('budgets of a schedule', () => {
  it('can be set, read, changed and removed, and limit its ticks', async () => {
    const set = {
      max_embedding_tokens_per_run: 2 * TOKENS_OF_FILE,
      max_embedding_tokens_per_day: 5 * TOKENS_OF_FILE,
      time_budget_seconds: 900,
    };
    const made = await scheduled(set);
    expect(made).toMatchObject(set);
    const path = `/api/v1/schedules/${made.id}`;
    expect(await service.get(path)).toMatchObject(set);

    expect(await tick(made, 4)).toMatchObject({ status: 'partial', files_added: 2 });
    expect(await tick(made, 3)).toMatchObject({ status: 'partial', files_added: 2 });
    // The daily budget has room for one more file.
    const third = await tick(made, 2);
    expect(third).toMatchObject({ status: 'partial', error_code: 'budget_reached', files_added: 1 });
    expect(third.error_message).toContain('max_embedding_tokens_per_day: 800 of 1000 in 24 hours');

    const none = { max_embedding_tokens_per_run: null, max_embedding_tokens_per_day: null };
    const changed = await service.call('PATCH', path, { ...none, time_budget_seconds: 0 });
    expect(changed).toMatchObject({ status: 200, body: { ...none, time_budget_seconds: 0 } });
    expect(await tick(made, 1)).toMatchObject({ status: 'completed', error_code: null, files_added: 3 });
  });

  it('also limit a retry of its runs, and a retry of that retry', async () => {
    const made = await scheduled({ max_embedding_tokens_per_run: 2 * TOKENS_OF_FILE });
    let row = await tick(made, 2);
    for (const files_added of [2, 2]) {
      expect(row).toMatchObject({ status: 'partial', error_code: 'budget_reached', files_added });
      const retried = await service.post<{ id: string }>(`/api/v1/executions/${row.id}/retry`);
      const ended = (await executionThat(service, retried.id, isOver)) as ReportedRow;
      expect(ended).toMatchObject({ trigger: 'manual', retry_of_execution_id: row.id });
      row = ended;
    }
    expect(row).toMatchObject({ status: 'partial', files_added: 2 });
  });

  it('do not limit a manual run', async () => {
    await scheduled({ max_embedding_tokens_per_run: TOKENS_OF_FILE });
    expect(await sync()).toMatchObject({ status: 'completed', files_added: FILES });
  });

  it.each([
    ['max_embedding_tokens_per_run', 0],
    ['max_embedding_tokens_per_day', -1],
    ['max_embedding_tokens_per_day', 1.5],
    ['time_budget_seconds', 604_801],
    ['time_budget_seconds', '900'],
  ])('are refused when %s is %j', async (field, value) => {
    const body = { repository_id: repository.id, cron_expression: NO_TICK_SOON, [field]: value };
    expect(await service.call('POST', '/api/v1/schedules', body)).toMatchObject({
      status: 400,
      body: { code: 'validation_failed', errors: [expect.objectContaining({ field })] },
    });
  });
});
