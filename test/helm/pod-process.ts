import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { chmod, cp, mkdtemp, readdir, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Container, isCleanup, type Manifest, podSpecOf } from './manifest.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const AS_CONTAINER = join(ROOT, 'deploy/image/as-container.sh');

/**
 * Namespaces and mounts need root and rights that many containers do not grant. Without them the process runs as the test's
 * own user on the real file system.
 */
export const isContained =
  process.platform === 'linux' &&
  process.getuid?.() === 0 &&
  spawnSync('unshare', ['--mount', '--pid', '--fork', 'mount', '-t', 'proc', 'proc', '/proc']).status === 0;

/** The cluster's state besides the rendered objects. */
export interface ClusterFacts {
  podName: string;
  namespace: string;
  /** Secrets that the chart expects: name -> data. */
  secrets: Record<string, Record<string, string>>;
  /** Address of the Kubernetes API, and the service account's folder that is mounted into a pod with a token. */
  kubernetes: { host: string; port: string; serviceAccountDir: string };
}

export interface PodProcess {
  output(): string;
  /** Exit code, or the signal that ended it. */
  ended: Promise<number | NodeJS.Signals | null>;
  /** Ends it as the kubelet does: SIGTERM now, SIGKILL after the grace period. */
  terminate(): Promise<number | NodeJS.Signals | null>;
  /** Kills the process if it still runs and removes its files. Repeating is harmless. */
  remove(): Promise<void>;
}

/**
 * Runs the container of a rendered workload as a process: the built program with exactly the environment, command and user
 * of the container spec, in a read-only root file system if this process has the rights for it.
 */
export async function runPod(
  workload: Manifest,
  manifests: Manifest[],
  facts: ClusterFacts,
): Promise<PodProcess> {
  const pod = podSpecOf(workload);
  const [container] = pod.containers;
  if (container === undefined) throw new Error('A pod without a container.');
  const image = readImage();
  const { host, port } = facts.kubernetes;
  const env = {
    ...image.env,
    ...{ KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port },
    ...environmentOf(container, manifests, facts),
  };
  const command = [...(container.command ?? image.entrypoint), ...(container.args ?? [])];
  const directory = await mkdtemp(join(tmpdir(), 'repotide-pod-'));
  // The same mode as the root folder of an image.
  await chmod(directory, 0o755);
  if (pod.automountServiceAccountToken !== false) {
    Object.assign(env, await mountServiceAccount(facts.kubernetes.serviceAccountDir, directory));
  }
  const user = pod.securityContext?.runAsUser ?? 65532;
  const child = isContained
    ? spawn(AS_CONTAINER, [...(await binds()), directory, `${user}:${user}`, image.folder, ...command], {
        env,
      })
    : spawn(process.execPath, command.slice(1), { env, cwd: ROOT });
  return follow(child, directory, (pod.terminationGracePeriodSeconds ?? 30) * 1000);
}

/** The environment as the kubelet builds it: ConfigMaps and Secrets first, then single variables. */
export function environmentOf(
  { env = [], envFrom = [] }: Container,
  manifests: Manifest[],
  { podName, namespace, secrets }: ClusterFacts,
): Record<string, string> {
  const dataOf = (kind: string, name: string): Record<string, string> => {
    const found = manifests.find(
      (manifest) => !isCleanup(manifest) && manifest.kind === kind && manifest.metadata.name === name,
    );
    const data = found?.data ?? found?.stringData ?? (kind === 'Secret' ? secrets[name] : undefined);
    if (data === undefined) throw new Error(`There is no ${kind} ${name}.`);
    return data;
  };
  const fields: Record<string, string> = { 'metadata.name': podName, 'metadata.namespace': namespace };
  const result: Record<string, string> = {};
  for (const { configMapRef, secretRef } of envFrom) {
    if (configMapRef) Object.assign(result, dataOf('ConfigMap', configMapRef.name));
    if (secretRef) Object.assign(result, dataOf('Secret', secretRef.name));
  }
  for (const { name, value, valueFrom } of env) {
    const { fieldRef, secretKeyRef } = valueFrom ?? {};
    const found = fieldRef
      ? fields[fieldRef.fieldPath]
      : secretKeyRef
        ? dataOf('Secret', secretKeyRef.name)[secretKeyRef.key]
        : value;
    if (found === undefined) throw new Error(`The environment variable ${name} has no value.`);
    result[name] = found;
  }
  return result;
}

const SERVICE_ACCOUNT_PATH = 'var/run/secrets/kubernetes.io/serviceaccount';

/** Mounts the service account where the kubelet does, readable to the pod's user. @returns the further variables of the process. */
async function mountServiceAccount(source: string, root: string): Promise<Record<string, string>> {
  const target = join(root, SERVICE_ACCOUNT_PATH);
  await cp(source, target, { recursive: true });
  await chmod(target, 0o755);
  for (const name of await readdir(target)) await chmod(join(target, name), 0o644);
  return isContained ? {} : { KUBERNETES_SERVICE_ACCOUNT_DIR: target };
}

/** Fields that the container spec leaves to the image. */
function readImage(): { entrypoint: string[]; folder: string; env: Record<string, string> } {
  const dockerfile = readFileSync(join(ROOT, 'Dockerfile'), 'utf8');
  const entrypoint = /^ENTRYPOINT (\[.*\])$/m.exec(dockerfile)?.[1];
  const folder = /^WORKDIR (\/app)$/m.exec(dockerfile)?.[1];
  if (entrypoint === undefined || folder === undefined) throw new Error('The Dockerfile reads otherwise.');
  const env = { NODE_ENV: 'production', PATH: '/nodejs/bin:/usr/local/bin:/usr/bin:/bin' };
  return { entrypoint: JSON.parse(entrypoint) as string[], folder, env };
}

/** The files of the image, taken from the build, and the libraries that Node links. */
async function binds(): Promise<string[]> {
  const sources = {
    '/nodejs/bin/node': process.execPath,
    '/app/package.json': join(ROOT, 'package.json'),
    '/app/dist': join(ROOT, 'dist'),
    '/app/node_modules': join(ROOT, 'node_modules'),
    ...{ '/lib': '/lib', '/lib64': '/lib64', '/usr/lib': '/usr/lib', '/etc': '/etc' },
  };
  const pairs = Object.entries(sources).map(async ([path, source]) => [
    '-b',
    `${await realpath(source)}:${path}`,
  ]);
  return (await Promise.all(pairs)).flat();
}

function follow(child: ChildProcess, directory: string, graceMs: number): PodProcess {
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (part: Buffer) => (output += part.toString()));
  }
  const ended = new Promise<number | NodeJS.Signals | null>((resolve) => {
    child.once('close', (code, signal) => resolve(code ?? signal));
  });
  const kill = async (signal: NodeJS.Signals): Promise<void> => {
    const pid = await processOne(child);
    if (pid !== null) process.kill(pid, signal);
  };
  return {
    output: () => output,
    ended,
    terminate: async () => {
      await kill('SIGTERM');
      const late = setTimeout(() => void kill('SIGKILL'), graceMs);
      const end = await ended;
      clearTimeout(late);
      return end;
    },
    remove: async () => {
      await kill('SIGKILL');
      await ended;
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** The host's process id of the container's process 1; null when it has ended. */
async function processOne({ pid, exitCode, signalCode }: ChildProcess): Promise<number | null> {
  if (pid === undefined || exitCode !== null || signalCode !== null) return null;
  if (!isContained) return pid;
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
  return children.trim() === '' ? null : Number(children.trim().split(' ')[0]);
}
