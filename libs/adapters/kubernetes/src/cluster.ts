import { isIPv6 } from 'node:net';

/** The API of the cluster, and the credentials for it. */
export interface Cluster {
  /** https, without a trailing slash. */
  server: string;
  /** Contains `token` and `ca.crt`, which the kubelet renews while the pod runs. */
  serviceAccountDir: string;
}

const SERVICE_ACCOUNT_DIR = '/var/run/secrets/kubernetes.io/serviceaccount';

/**
 * The cluster of this process, from the variables that Kubernetes sets in every container; null outside a cluster.
 * `KUBERNETES_SERVICE_ACCOUNT_DIR` replaces the default directory.
 */
export function findCluster(env: Readonly<Record<string, string | undefined>>): Cluster | null {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = env;
  if (!host || !port) return null;
  return {
    server: `https://${isIPv6(host) ? `[${host}]` : host}:${port}`,
    serviceAccountDir: env.KUBERNETES_SERVICE_ACCOUNT_DIR || SERVICE_ACCOUNT_DIR,
  };
}
