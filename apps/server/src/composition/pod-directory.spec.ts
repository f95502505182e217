import { expect, it } from '@jest/globals';
import { loadConfig } from '@platform/config';
import { recordingLogger } from '../../../../test/support/recording-logger.js';
import { openPodDirectory } from './pod-directory.js';

const SERVICE = { KUBERNETES_SERVICE_HOST: '10.0.0.1', KUBERNETES_SERVICE_PORT: '443' };

it.each<[string, NodeJS.ProcessEnv, string]>([
  ['outside a cluster', {}, 'KUBERNETES_SERVICE_HOST'],
  ['in a cluster, but without POD_NAMESPACE', SERVICE, 'POD_NAMESPACE is not set'],
])('the pod directory says once at start why it watches no pods: %s', (_, env, reason) => {
  const logger = recordingLogger();
  const directory = openPodDirectory(loadConfig({}), logger, env);
  expect(logger.lines).toEqual([]);
  directory.start(new AbortController().signal);
  expect(logger.lines).toHaveLength(1);
  expect(logger.lines[0]).toContain(reason);
  expect(directory.describe()).toMatchObject({ source: 'heartbeats' });
});
