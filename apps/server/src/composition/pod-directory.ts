import { KubernetesPodDirectory, createNoPodDirectory, findCluster } from '@adapters/kubernetes';
import { type Logger, type PodDirectory } from '@core/domain';
import { type Config } from '@platform/config';

/** All pods of the chart have this label, independent of the names of the release and the chart. */
const POD_LABEL_SELECTOR = 'app.kubernetes.io/part-of=repotide';

/** Whether this process runs in a Kubernetes cluster and may watch its pods. Pod names are unique there. */
export function isInCluster({ pod }: Config): boolean {
  return findCluster(process.env) !== null && pod.namespace !== undefined;
}

/** Watches the pods of the namespace if possible. Otherwise only heartbeats show which pods are alive. */
export function openPodDirectory(
  { pod }: Config,
  logger: Logger,
  env: NodeJS.ProcessEnv = process.env,
): PodDirectory {
  const cluster = findCluster(env);
  if (cluster === null) {
    const missing = 'not in a cluster: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set';
    return createNoPodDirectory(missing, logger);
  }
  if (pod.namespace === undefined) {
    const missing = 'POD_NAMESPACE is not set; give it the namespace of the pod (metadata.namespace)';
    return createNoPodDirectory(missing, logger);
  }
  return new KubernetesPodDirectory({
    cluster,
    namespace: pod.namespace,
    labelSelector: POD_LABEL_SELECTOR,
    logger,
  });
}
