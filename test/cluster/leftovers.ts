import { type KubernetesApi, type KubernetesObject } from './kubernetes-api.js';

/** Objects by `resource/name`, with their uid. */
export type ObjectList = ReadonlyMap<string, string>;

interface ApiResource {
  name: string;
  namespaced: boolean;
  verbs: string[];
}

/** What happened, or what controllers derive from other objects and remove by themselves a little later. */
const TRANSIENT = ['events', 'endpoints', 'endpointslices', 'leases', 'podmetrics', 'metrics'];

/** Every object of the namespace, of all kinds that the cluster has; and every volume that is bound to it. */
export async function objectsOf(api: KubernetesApi, namespace: string): Promise<ObjectList> {
  const found = new Map<string, string>();
  for (const { prefix, resources } of await apiGroups(api)) {
    for (const { name, namespaced, verbs } of resources) {
      if (!namespaced || name.includes('/') || !verbs.includes('list') || TRANSIENT.includes(name)) continue;
      const items = await api.list(`${prefix}/namespaces/${namespace}/${name}`);
      for (const { metadata } of items) found.set(`${name}/${metadata.name}`, metadata.uid ?? '');
    }
  }
  for (const volume of await api.list<KubernetesObject & { spec: { claimRef?: { namespace: string } } }>(
    '/api/v1/persistentvolumes',
  ))
    if (volume.spec.claimRef?.namespace === namespace)
      found.set(`persistentvolumes/${volume.metadata.name}`, volume.metadata.uid ?? '');
  return found;
}

/** Names of the objects that exist now and did not before. */
export async function leftOver(api: KubernetesApi, namespace: string, before: ObjectList): Promise<string[]> {
  const now = await objectsOf(api, namespace);
  return [...now.keys()].filter((name) => !before.has(name));
}

async function apiGroups(api: KubernetesApi): Promise<{ prefix: string; resources: ApiResource[] }[]> {
  const { groups } = await api.get<{ groups: { preferredVersion: { groupVersion: string } }[] }>('/apis');
  const prefixes = [
    '/api/v1',
    ...groups.map(({ preferredVersion }) => `/apis/${preferredVersion.groupVersion}`),
  ];
  return Promise.all(
    prefixes.map(async (prefix) => {
      // An aggregated API whose server is down has no objects of ours.
      const { resources } = await api
        .get<{ resources: ApiResource[] }>(prefix)
        .catch(() => ({ resources: [] }));
      return { prefix, resources };
    }),
  );
}
