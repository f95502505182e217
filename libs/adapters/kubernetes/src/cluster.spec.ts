import { describe, expect, it } from '@jest/globals';
import { findCluster } from './cluster.js';

describe('findCluster', () => {
  it('reads the variables that Kubernetes sets in every container', () => {
    expect(findCluster({ KUBERNETES_SERVICE_HOST: '10.43.0.1', KUBERNETES_SERVICE_PORT: '443' })).toEqual({
      server: 'https://10.43.0.1:443',
      serviceAccountDir: '/var/run/secrets/kubernetes.io/serviceaccount',
    });
  });

  it('accepts an IPv6 address, and another directory', () => {
    const env = {
      KUBERNETES_SERVICE_HOST: 'fd00::1',
      KUBERNETES_SERVICE_PORT: '6443',
      KUBERNETES_SERVICE_ACCOUNT_DIR: '/tmp/account',
    };
    expect(findCluster(env)).toEqual({ server: 'https://[fd00::1]:6443', serviceAccountDir: '/tmp/account' });
  });

  it.each([{}, { KUBERNETES_SERVICE_HOST: '10.43.0.1' }, { KUBERNETES_SERVICE_PORT: '443' }])(
    'returns null for %j',
    (env) => expect(findCluster(env)).toBeNull(),
  );
});
