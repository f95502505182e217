import { createKubernetesPodDirectory, createNoPodDirectory, findCluster } from '@adapters/kubernetes';
import { type Logger, type PodDirectory } from '@core/domain';
import { type Config } from '@platform/config';

/** Whether this process is a container of a cluster that may be asked about pods. Then pod names are unique. */
export function isInCluster({ kubernetes, pod }: Config): boolean {
  return (
    kubernetes.serviceHost !== undefined &&
    kubernetes.servicePort !== undefined &&
    pod.namespace !== undefined
  );
}

/** Follows the release's pods where that is possible; elsewhere heartbeats decide. */
export function openPodDirectory(config: Config, logger: Logger): PodDirectory {
  const { kubernetes, pod } = config;
  if (!isInCluster(config) || pod.namespace === undefined) {
    return createNoPodDirectory(whatIsMissing(config), logger);
  }
  const cluster = findCluster({
    KUBERNETES_SERVICE_HOST: kubernetes.serviceHost,
    KUBERNETES_SERVICE_PORT: kubernetes.servicePort,
    KUBERNETES_SERVICE_ACCOUNT_DIR: kubernetes.serviceAccountDir,
  });
  return createKubernetesPodDirectory({
    cluster,
    namespace: pod.namespace,
    labelSelector: kubernetes.labelSelector,
    logger,
  });
}

function whatIsMissing({ kubernetes }: Config): string {
  return kubernetes.serviceHost === undefined || kubernetes.servicePort === undefined
    ? 'not in a cluster: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set, as they are in every container'
    : 'POD_NAMESPACE is not set; give it the namespace of the pod (metadata.namespace)';
}
