import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ConfigError } from './config-error.js';
import { secretValues } from './environment.js';
import { loadConfig } from './load-config.js';
import { readSecretFiles } from './secret-files.js';

describe('secrets from files', () => {
  let directory: string;
  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), 'repotide-secrets-'));
  });
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  const file = (name: string, content: string): string => {
    const path = join(directory, name);
    writeFileSync(path, content);
    return path;
  };
  const problemsOf = (env: Record<string, string>) => {
    try {
      readSecretFiles(env);
    } catch (error) {
      return (error as ConfigError).problems;
    }
    return [];
  };

  it('are read without the newline at the end, and redacted like those of the environment', () => {
    const env = readSecretFiles({
      GITLAB_TOKEN_FILE: file('gitlab', 'glpat-of-the-file\n'),
      DATABASE_URL_FILE: file('database', 'postgres://u:word-of-the-file@db.test/app\r\n'),
    });
    const config = loadConfig(env);
    expect(config.gitlab.token).toBe('glpat-of-the-file');
    expect(config.postgres.url).toBe('postgres://u:word-of-the-file@db.test/app');
    expect(config.warnings).toEqual([]);
    expect(secretValues(env)).toEqual(expect.arrayContaining(['glpat-of-the-file', 'word-of-the-file']));
  });

  it('are refused beside the variable itself, missing or empty, all at once and without the secret', () => {
    const problems = problemsOf({
      GITLAB_TOKEN: 'glpat-of-the-environment',
      GITLAB_TOKEN_FILE: file('both', 'glpat-of-the-file'),
      QDRANT_API_KEY_FILE: join(directory, 'missing'),
      EMBEDDING_API_KEY_FILE: file('empty', '\n'),
    });
    expect(problems.map(({ variable }) => variable).sort()).toEqual([
      'EMBEDDING_API_KEY_FILE',
      'GITLAB_TOKEN_FILE',
      'QDRANT_API_KEY_FILE',
    ]);
    expect(JSON.stringify(problems)).not.toContain('glpat-');
  });

  it('leave variables that are no secrets alone', () => {
    const env = { LOG_LEVEL_FILE: file('level', 'debug') };
    expect(readSecretFiles(env)).toEqual(env);
  });
});
