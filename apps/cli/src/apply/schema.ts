import { z } from 'zod';

// Names, shapes and kinds of values; the service checks the values themselves, and its errors name the same fields.

const text = z.string().min(1);
const texts = z.array(text);
const number = z.number().int().nonnegative();

const CRON = { cron_expression: text, timezone: text.optional() };

const FILE_RULES = {
  include_globs: texts.optional(),
  exclude_globs: texts.optional(),
  max_file_bytes: number.optional(),
  chunk_size: number.optional(),
  chunk_overlap: number.optional(),
  collection_name: text.optional(),
  /** Name of a credential, of the files or of the service; null: the token of the service. */
  credential: text.nullish(),
};

const Schedule = z.strictObject({
  ...CRON,
  is_active: z.boolean().optional(),
  misfire_grace_seconds: number.optional(),
  catch_up: z.enum(['latest', 'none']).optional(),
  max_embedding_tokens_per_run: number.nullish(),
  max_embedding_tokens_per_day: number.nullish(),
  time_budget_seconds: number.nullish(),
});

const Repository = z
  .strictObject({
    project_path: text.optional(),
    git_url: text.optional(),
    base_url: text.optional(),
    branch: text.optional(),
    ...FILE_RULES,
    schedules: z.array(Schedule).optional(),
  })
  .refine((each) => (each.project_path === undefined) !== (each.git_url === undefined), {
    error: 'project_path or git_url must be given, and only one of them',
  });

const Discovery = z.strictObject({
  name: text,
  group_path: text.optional(),
  base_url: text.optional(),
  include_subgroups: z.boolean().optional(),
  members_only: z.boolean().optional(),
  include_projects: texts.optional(),
  exclude_projects: texts.optional(),
  branches: texts.optional(),
  archived_projects: z.enum(['exclude', 'include']).optional(),
  ...FILE_RULES,
  schedule: z.strictObject(CRON).nullish(),
  cron_expression: text.optional(),
  timezone: text.optional(),
  is_active: z.boolean().optional(),
  grace_hours: number.optional(),
});

/** A secret comes from the environment or from a file, never from these files. */
const Credential = z
  .strictObject({
    name: text,
    base_url: text.optional(),
    username: text.optional(),
    token_env: text.optional(),
    token_file: text.optional(),
  })
  .refine((each) => (each.token_env === undefined) !== (each.token_file === undefined), {
    error: 'token_env or token_file must be given, and only one of them',
  });

export const DeclarationFile = z.strictObject({
  credentials: z.array(Credential).optional(),
  repositories: z.array(Repository).optional(),
  discoveries: z.array(Discovery).optional(),
});

export type DeclaredCredential = z.output<typeof Credential>;
export type DeclaredRepository = z.output<typeof Repository>;
export type DeclaredSchedule = z.output<typeof Schedule>;
export type DeclaredDiscovery = z.output<typeof Discovery>;
