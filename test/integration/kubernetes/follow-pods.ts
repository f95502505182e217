import { findCluster, KubernetesPodDirectory } from '@adapters/kubernetes';
import { silentLogger } from '../../support/silent-logger.js';

/** A process that finds its cluster from its environment, and stops at SIGTERM. */
const say = (event: string, fields: object = {}) => console.log(JSON.stringify({ event, ...fields }));

const directory = new KubernetesPodDirectory({
  cluster: findCluster(process.env)!,
  namespace: process.env.POD_NAMESPACE ?? '',
  labelSelector: 'app.kubernetes.io/instance=repotide',
  logger: { ...silentLogger, info: (_fields, message) => say('info', { message }) },
});
const ending = new AbortController();
process.once('SIGTERM', () => ending.abort());
directory.onPodEnd((podName, { reason }) => say('ended', { podName, reason }));
directory.start(ending.signal);
