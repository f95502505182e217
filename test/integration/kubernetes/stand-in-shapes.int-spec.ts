import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type KubernetesStandIn, type PodSetting, startKubernetesStandIn } from '@devkit';
import { CoreV1Api, KubeConfig, makeInformer, type V1Pod } from '@kubernetes/client-node';
import { Ajv } from 'ajv';
import { Agent, request } from 'undici';
import { until } from './pod-world.js';

/** The OpenAPI description of Kubernetes; not part of the repository. */
const DESCRIPTION = new URL('../../../../shared/kubernetes-openapi.json', import.meta.url);
const isDescribed = existsSync(DESCRIPTION);

const SETTINGS: Record<string, PodSetting> = {
  running: {},
  starting: { phase: 'Pending', container: 'starting', isReady: false },
  terminating: { isTerminating: true, isReady: false },
  crashing: { container: 'crash_loop', isReady: false },
  ended: { container: 'terminated' },
  failed: { phase: 'Failed' },
  succeeded: { phase: 'Succeeded' },
  evicted: { phase: 'Failed', container: 'absent' },
  lost: { phase: 'Unknown' },
};

let cluster: KubernetesStandIn;
let config: KubeConfig;

beforeAll(async () => {
  cluster = await startKubernetesStandIn();
  for (const [name, setting] of Object.entries(SETTINGS)) cluster.setPod(name, setting);
  cluster.setPod('restarted');
  cluster.restartContainer('restarted');
  config = clientConfig();
});

afterAll(() => cluster.stop());

/** The client configuration for the service account directory of the stand-in. */
function clientConfig(): KubeConfig {
  const dir = cluster.env.KUBERNETES_SERVICE_ACCOUNT_DIR ?? '';
  const made = new KubeConfig();
  const authProvider = { name: 'tokenFile', config: { tokenFile: join(dir, 'token') } };
  made.loadFromClusterAndUser(
    { name: 'stand-in', server: cluster.url, caFile: join(dir, 'ca.crt'), skipTLSVerify: false },
    { name: 'account', authProvider },
  );
  return made;
}

interface Definition {
  properties?: object;
}

/** Strict, because the description alone allows unknown fields. */
function podProblems(): (pod: unknown) => string | null {
  const { definitions } = JSON.parse(readFileSync(DESCRIPTION, 'utf8')) as {
    definitions: Record<string, Definition>;
  };
  const strict = Object.entries(definitions).map(([name, definition]) => [
    name,
    definition.properties === undefined ? definition : { ...definition, additionalProperties: false },
  ]);
  const ajv = new Ajv({ strict: false, validateFormats: false });
  ajv.addSchema({ $id: 'kubernetes', definitions: Object.fromEntries(strict) as object });
  const validate = ajv.getSchema('kubernetes#/definitions/io.k8s.api.core.v1.Pod');
  if (validate === undefined) throw new Error('The description has no Pod.');
  return (pod) => (validate(pod) === true ? null : ajv.errorsText(validate.errors));
}

describe('the objects of the Kubernetes stand-in', () => {
  (isDescribed ? it : it.skip)(
    isDescribed
      ? 'are pods by Kubernetes’ own description'
      : 'left out: ../shared/kubernetes-openapi.json is not there',
    async () => {
      const problemsOf = podProblems();
      expect(problemsOf({ metadata: { nmae: 'x' } })).not.toBeNull();
      const raw = await rawList();
      expect(raw.map((pod) => problemsOf(pod))).toEqual(raw.map(() => null));
    },
  );

  it('are parsed by the client without losing a field', async () => {
    const list = await config.makeApiClient(CoreV1Api).listNamespacedPod({ namespace: 'repotide' });
    const reread = JSON.stringify(list.items).replaceAll('.000Z"', 'Z"');
    expect(JSON.parse(reread)).toEqual(await rawList());
  });

  it('work with the client’s informer', async () => {
    const core = config.makeApiClient(CoreV1Api);
    const path = '/api/v1/namespaces/repotide/pods';
    const informer = makeInformer(config, path, () => core.listNamespacedPod({ namespace: 'repotide' }));
    const seen: string[] = [];
    const note = (what: string) => (pod: V1Pod) => seen.push(`${what} ${pod.metadata?.name}`);
    informer.on('add', note('add'));
    informer.on('update', note('update'));
    informer.on('delete', note('delete'));
    await informer.start();
    expect(seen.sort()).toEqual([...Object.keys(SETTINGS), 'restarted'].map((name) => `add ${name}`).sort());
    seen.length = 0;
    cluster.setPod('new');
    cluster.restartContainer('new');
    cluster.deletePod('new');
    await until(() => seen.length === 3);
    expect(seen).toEqual(['add new', 'update new', 'delete new']);
    await informer.stop();
  });
});

/** The list as raw JSON, without the client library. */
async function rawList(): Promise<unknown[]> {
  const dir = cluster.env.KUBERNETES_SERVICE_ACCOUNT_DIR ?? '';
  const dispatcher = new Agent({ connect: { ca: readFileSync(join(dir, 'ca.crt')) } });
  const headers = { authorization: `Bearer ${readFileSync(join(dir, 'token'), 'utf8')}` };
  try {
    const { body } = await request(`${cluster.url}/api/v1/namespaces/repotide/pods`, { dispatcher, headers });
    return ((await body.json()) as { items: unknown[] }).items;
  } finally {
    await dispatcher.destroy();
  }
}
