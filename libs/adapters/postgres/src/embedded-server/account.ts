import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { rootRefused } from './failures.js';
import { type Binaries } from './binaries.js';

const execFileAsync = promisify(execFile);
/** By convention the id of `nobody`. It only has to differ from root's, and needs no entry in /etc/passwd. */
const OVERFLOW_ID = 65534;

/** How to run the server's programs under an id other than root's, which PostgreSQL refuses. */
export interface Account {
  /** Required owner of the cluster; null: the user that runs Repotide. */
  owner: { uid: number; gid: number } | null;
  command(file: string, args: readonly string[]): Command;
  /** For logs. */
  description: string;
}
interface Command {
  file: string;
  args: string[];
  options: { uid?: number; gid?: number; cwd: string; env: NodeJS.ProcessEnv };
}

/**
 * Chooses the user that runs PostgreSQL. An ordinary user runs it directly. Root uses the owner of the data,
 * else `postgres` or `nobody`, if that user can reach programs and data. Under a directory closed to others
 * (a 0700 clone) PostgreSQL runs in a user namespace or with a capability. Creates no user.
 * @throws invalid `embedded_postgres_needs_a_user`.
 */
export async function chooseAccount(
  dataDir: string,
  clusterDir: string,
  binaries: Binaries,
): Promise<Account> {
  if (process.getuid?.() !== 0) return plainAccount;
  for (const user of await candidates(dataDir, clusterDir)) {
    const account = userAccount(user.uid, user.gid);
    if (await canReach(account, dataDir, binaries)) return account;
  }
  for (const account of [namespaceAccount, capabilityAccount]) {
    if (await canReach(account, dataDir, binaries)) return account;
  }
  throw rootRefused(dataDir, binaries.binDir);
}

async function candidates(dataDir: string, clusterDir: string): Promise<{ uid: number; gid: number }[]> {
  const paths = [clusterDir, dataDir, dirname(dataDir)];
  const owners = await Promise.all(paths.map((path) => stat(path).catch(() => null)));
  const users = await Promise.all(['postgres', 'nobody'].map(findUser));
  return [...owners, ...users].filter((user) => user !== null).filter(({ uid }) => uid !== 0);
}

async function findUser(name: string): Promise<{ uid: number; gid: number } | null> {
  try {
    const ids = await Promise.all(['-u', '-g'].map((flag) => execFileAsync('id', [flag, name])));
    const [uid, gid] = ids.map(({ stdout }) => Number.parseInt(stdout, 10));
    return uid === undefined || gid === undefined ? null : { uid, gid };
  } catch {
    return null;
  }
}

/** Tries it, because permission bits do not show everything (ACLs, mount options, policies). */
async function canReach(account: Account, dataDir: string, binaries: Binaries): Promise<boolean> {
  const script = '"$1" --version >/dev/null && test -x "$2"';
  const { file, args, options } = account.command('/bin/sh', [
    '-c',
    script,
    'sh',
    binaries.postgres,
    dataDir,
  ]);
  return execFileAsync(file, args, { ...options, timeout: 10_000 }).then(
    () => true,
    () => false,
  );
}

/** Repotide's environment is not passed on: it holds secrets, and PG* variables would change the server. */
const bareOptions = { cwd: '/', env: { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' } };

const plainAccount: Account = {
  owner: null,
  command: (file, args) => ({ file, args: [...args], options: bareOptions }),
  description: 'own user',
};

function userAccount(uid: number, gid: number): Account {
  return {
    owner: { uid, gid },
    command: (file, args) => ({ file, args: [...args], options: { ...bareOptions, uid, gid } }),
    description: `user id ${uid}`,
  };
}

/** Root outside the namespace, so that root's files open; another id inside, so that PostgreSQL starts. */
const namespaceAccount: Account = {
  owner: { uid: 0, gid: 0 },
  command: (file, args) => ({
    file: 'unshare',
    args: ['--user', `--map-user=${OVERFLOW_ID}`, `--map-group=${OVERFLOW_ID}`, '--', file, ...args],
    options: bareOptions,
  }),
  description: 'user namespace',
};

/** Without user namespaces (most containers): another user that keeps root's right to pass closed directories. */
const capabilityAccount: Account = {
  owner: { uid: OVERFLOW_ID, gid: OVERFLOW_ID },
  command: (file, args) => ({
    file: 'setpriv',
    args: [
      `--reuid=${OVERFLOW_ID}`,
      `--regid=${OVERFLOW_ID}`,
      '--clear-groups',
      '--inh-caps=+dac_override',
      '--ambient-caps=+dac_override',
      '--',
      file,
      ...args,
    ],
    options: bareOptions,
  }),
  description: 'ambient capability',
};
