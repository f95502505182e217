import { type KubernetesApi, type KubernetesObject } from './kubernetes-api.js';
import { type Pod } from './world.js';

const LOG_LINES = 15;

/** What somebody would look at first after a failure: pods that are not ready with their last lines, and warnings. */
export async function diagnose(api: KubernetesApi, namespace: string): Promise<string[]> {
  const folder = `/api/v1/namespaces/${namespace}`;
  const pods = await api.list<Pod & { status: object }>(`${folder}/pods`);
  const events = await api.list<
    KubernetesObject & { type: string; reason: string; message: string; involvedObject: { name: string } }
  >(`${folder}/events`);
  const warnings = events.filter(({ type }) => type === 'Warning').slice(-10);
  const lines = warnings.map(
    ({ involvedObject, reason, message }) => `event ${involvedObject.name}: ${reason}: ${message}`,
  );
  for (const { metadata, status } of pods) {
    const ready = status.conditions?.find(({ type }) => type === 'Ready')?.status === 'True';
    lines.push(`pod ${metadata.name}: ${status.phase}, ${ready ? 'ready' : 'not ready'}`);
    const log = await api.log(namespace, metadata.name, LOG_LINES).catch(() => '');
    lines.push(
      ...log
        .split('\n')
        .filter(Boolean)
        .map((line) => `    ${line.slice(0, 400)}`),
    );
  }
  return lines;
}
