import { KubernetesPodDirectory, createNoPodDirectory, findCluster } from '@adapters/kubernetes';
import { type Logger, type PodDirectory } from '@core/domain';
import { type Config } from '@platform/config';

/** Pods of the chart carry this label, whatever the release and the chart are called. */
const POD_LABEL_SELECTOR = 'app.kubernetes.io/part-of=repotide';

/** True in a container of a cluster whose pods may be watched. Then pod names are unique. */
export function isInCluster({ pod }: Config): boolean {
  return findCluster(process.env) !== null && pod.namespace !== undefined;
}

/** Watches the pods of the namespace where that is possible; elsewhere heartbeats decide. */
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
