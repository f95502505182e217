import { readFile } from 'node:fs/promises';
import { type KubernetesObject } from '../kubernetes-api.js';

export const COMPANION = 'repotide-cluster-test';
export const COMPANION_PORT = 8080;

export function gitHostOf(namespace: string): string {
  return `${COMPANION}.${namespace}.svc:${COMPANION_PORT}`;
}

/** A pod on the product's image with companion.mjs, and the Service by which the product reaches it. */
export async function companionManifests(image: string, serviceUrl: string): Promise<KubernetesObject[]> {
  const program = await readFile(new URL('companion.mjs', import.meta.url), 'utf8');
  const metadata = { name: COMPANION, labels: { app: COMPANION } };
  return [
    { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { 'companion.mjs': program } },
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata,
      spec: { selector: metadata.labels, ports: [{ port: COMPANION_PORT }] },
    },
    { apiVersion: 'v1', kind: 'Pod', metadata, spec: podSpec(image, serviceUrl) },
  ];
}

function podSpec(image: string, serviceUrl: string): object {
  const env = { SERVICE_URL: serviceUrl, GIT_FOLDER: '/git/project.git', PORT: String(COMPANION_PORT) };
  return {
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    terminationGracePeriodSeconds: 1,
    securityContext: {
      runAsNonRoot: true,
      runAsUser: 65532,
      fsGroup: 65532,
      seccompProfile: { type: 'RuntimeDefault' },
    },
    containers: [
      {
        name: 'companion',
        image,
        imagePullPolicy: 'IfNotPresent',
        command: ['node', '/companion/companion.mjs'],
        env: Object.entries(env).map(([name, value]) => ({ name, value })),
        ports: [{ containerPort: COMPANION_PORT }],
        readinessProbe: { httpGet: { path: '/ready', port: COMPANION_PORT }, periodSeconds: 1 },
        resources: { requests: { cpu: '50m', memory: '64Mi' }, limits: { memory: '256Mi' } },
        securityContext: {
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        },
        volumeMounts: [
          { name: 'program', mountPath: '/companion' },
          { name: 'git', mountPath: '/git' },
        ],
      },
    ],
    volumes: [
      { name: 'program', configMap: { name: COMPANION } },
      { name: 'git', emptyDir: {} },
    ],
  };
}
