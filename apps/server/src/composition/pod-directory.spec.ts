import { expect, it } from '@jest/globals';
import { loadConfig, type Environment } from '@platform/config';
import { recordingLogger } from '../../../../test/support/recording-logger.js';
import { openPodDirectory } from './pod-directory.js';

const SERVICE = { KUBERNETES_SERVICE_HOST: '10.0.0.1', KUBERNETES_SERVICE_PORT: '443' };

it.each<[string, Environment, string]>([
  ['outside of a cluster', {}, 'KUBERNETES_SERVICE_HOST'],
  ['in one without the name of its namespace', SERVICE, 'POD_NAMESPACE is not set'],
])('says once, when it starts, why pods are not followed: %s', (_, env, reason) => {
  const logger = recordingLogger();
  const directory = openPodDirectory(loadConfig(env), logger);
  expect(logger.lines).toEqual([]);
  directory.start(new AbortController().signal);
  expect(logger.lines).toHaveLength(1);
  expect(logger.lines[0]).toContain(reason);
  expect(directory.describe()).toMatchObject({ source: 'heartbeats' });
});
