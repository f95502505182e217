// The parts of Kubernetes objects that the policy tests read; kubernetes-schemas.ts checks the rest.
type Labels = Record<string, string>;

export interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string; namespace?: string; labels?: Labels; annotations?: Labels };
  spec?: Spec;
  data?: Labels;
  stringData?: Labels;
  automountServiceAccountToken?: boolean;
  rules?: { apiGroups: string[]; resources: string[]; verbs: string[] }[];
  subjects?: { name: string }[];
}

interface Spec {
  replicas?: number;
  selector?: Labels & { matchLabels?: Labels };
  podSelector?: { matchLabels?: Labels };
  template?: { metadata: { labels: Labels; annotations?: Labels }; spec: PodSpec };
  strategy?: { type: string };
  ports?: { name: string; port: number; targetPort: string | number }[];
  scaleTargetRef?: { name: string };
  triggers?: { metadata: Record<string, string> }[];
  egress?: { ports: { port: number; protocol: string }[]; to?: unknown[] }[];
  ingress?: { from?: unknown[]; ports?: unknown[] }[];
  endpoints?: unknown[];
  maxUnavailable?: number | string;
  backoffLimit?: number;
  activeDeadlineSeconds?: number;
  podFailurePolicy?: { rules: unknown[] };
}

export interface PodSpec {
  serviceAccountName?: string;
  automountServiceAccountToken?: boolean;
  enableServiceLinks?: boolean;
  hostNetwork?: boolean;
  hostPID?: boolean;
  hostIPC?: boolean;
  terminationGracePeriodSeconds?: number;
  securityContext?: {
    runAsNonRoot?: boolean;
    runAsUser?: number;
    seccompProfile?: { type: string };
  };
  initContainers?: Container[];
  containers: Container[];
  volumes?: ({ name: string } & Record<string, unknown>)[];
}

export interface Container {
  name: string;
  image: string;
  command?: string[];
  args?: string[];
  env?: { name: string; value?: string; valueFrom?: { fieldRef?: { fieldPath: string } } & SecretKey }[];
  envFrom?: { configMapRef?: { name: string }; secretRef?: { name: string } }[];
  ports?: { name: string; containerPort: number }[];
  resources?: { requests?: Labels; limits?: Labels };
  lifecycle?: { preStop?: { sleep?: { seconds: number } } };
  startupProbe?: Probe;
  readinessProbe?: Probe;
  livenessProbe?: Probe;
  volumeMounts?: { name: string; mountPath: string; readOnly?: boolean }[];
  securityContext?: {
    privileged?: boolean;
    allowPrivilegeEscalation?: boolean;
    readOnlyRootFilesystem?: boolean;
    capabilities?: { drop?: string[]; add?: string[] };
  };
}

interface Probe {
  httpGet?: { path: string; port: string };
}

interface SecretKey {
  secretKeyRef?: { name: string; key: string };
}

export function ofKind(manifests: Manifest[], ...kinds: string[]): Manifest[] {
  return manifests.filter(({ kind }) => kinds.includes(kind));
}

/** Hooks after the removal of the release replace objects of the same name. */
export function isCleanup({ metadata }: Manifest): boolean {
  return metadata.annotations?.['helm.sh/hook'] === 'post-delete';
}

/** @throws when there is none, or more than one, during an installation. */
export function theOne(manifests: Manifest[], kind: string, name?: string): Manifest {
  const found = ofKind(manifests, kind).filter(
    (manifest) => !isCleanup(manifest) && (name === undefined || manifest.metadata.name === name),
  );
  const [first] = found;
  if (first === undefined || found.length > 1) {
    throw new Error(`Expected one ${kind} ${name ?? ''}, found ${found.length}.`);
  }
  return first;
}

/** @throws when the object does not create pods. */
export function podSpecOf({ kind, metadata, spec }: Manifest): PodSpec {
  if (spec?.template === undefined) throw new Error(`${kind} ${metadata.name} has no pod template.`);
  return spec.template.spec;
}

/** Every object that creates pods during an installation. */
export function workloadsOf(manifests: Manifest[]): Manifest[] {
  return ofKind(manifests, 'Deployment', 'StatefulSet', 'Job').filter((manifest) => !isCleanup(manifest));
}

/** The container of the service, not of a trial's servers. */
export function containerOf(workload: Manifest): Container {
  const [container] = podSpecOf(workload).containers;
  if (container === undefined) throw new Error(`${workload.metadata.name} has no container.`);
  return container;
}
