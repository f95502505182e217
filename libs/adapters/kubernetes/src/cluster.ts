import { isIPv6 } from 'node:net';

/** Where a container finds the API of its cluster, and what proves to it who it is. */
export interface Cluster {
  /** https, without a trailing slash. */
  server: string;
  /** Holds `token` and `ca.crt`; the kubelet renews both while the pod runs. */
  serviceAccountDir: string;
}

const SERVICE_ACCOUNT_DIR = '/var/run/secrets/kubernetes.io/serviceaccount';

/**
 * The cluster that this process runs in, by what Kubernetes gives to every container; null outside of one.
 * `KUBERNETES_SERVICE_ACCOUNT_DIR` names another directory than the usual one.
 */
export function findCluster(env: Readonly<Record<string, string | undefined>>): Cluster | null {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = env;
  if (!host || !port) return null;
  return {
    server: `https://${isIPv6(host) ? `[${host}]` : host}:${port}`,
    serviceAccountDir: env.KUBERNETES_SERVICE_ACCOUNT_DIR || SERVICE_ACCOUNT_DIR,
  };
}
