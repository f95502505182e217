import { expect, it } from '@jest/globals';
import { describeWithHelm, render } from './helm.js';
import { containerOf, isCleanup, type Manifest, ofKind, podSpecOf, theOne, workloadsOf } from './manifest.js';

const VALUES = [
  ...[undefined, 'minimal', 'distributed', 'split-roles', 'trial', 'everything-on', 'restricted'],
  'zero-and-false',
];

function isWithin(part: Record<string, string> = {}, whole: Record<string, string> = {}): boolean {
  return Object.entries(part).every(([key, value]) => whole[key] === value);
}

function podLabelsOf(manifests: Manifest[]): Record<string, string>[] {
  return workloadsOf(manifests).map(({ spec }) => spec?.template?.metadata.labels ?? {});
}

for (const valuesOf of VALUES)
  describeWithHelm(`pods with the values ${valuesOf ?? 'by default'}`, () => {
    it('meet the restricted Pod Security Standard, and cannot write to their image', async () => {
      for (const workload of workloadsOf(await render({ valuesOf }))) {
        const { containers, volumes = [], securityContext, ...pod } = podSpecOf(workload);
        expect(pod).not.toMatchObject({ hostNetwork: true });
        expect([pod.hostNetwork, pod.hostPID, pod.hostIPC, pod.initContainers]).toEqual(
          Array(4).fill(undefined),
        );
        expect(securityContext).toMatchObject({
          runAsNonRoot: true,
          seccompProfile: { type: 'RuntimeDefault' },
        });
        expect(securityContext?.runAsUser).not.toBe(0);
        for (const { securityContext: context, resources } of containers) {
          expect(context).toEqual({
            allowPrivilegeEscalation: false,
            readOnlyRootFilesystem: true,
            capabilities: { drop: ['ALL'] },
          });
          expect(resources?.requests).toEqual({ cpu: expect.any(String), memory: expect.any(String) });
          expect(resources?.limits).toEqual({ memory: expect.any(String) });
        }
        const kinds = volumes.flatMap(({ name: _name, ...source }) => Object.keys(source));
        expect(['emptyDir', 'configMap', 'secret']).toEqual(expect.arrayContaining(kinds));
      }
    });

    it('use images of a fixed version', async () => {
      const images = workloadsOf(await render({ valuesOf })).map((workload) => containerOf(workload).image);
      for (const image of images) expect(image).toMatch(/(:v?\d[\w.-]*|@sha256:[0-9a-f]{64})$/);
    });

    it('have a token for the Kubernetes API only to watch pods', async () => {
      const manifests = await render({ valuesOf });
      const roles = ofKind(manifests, 'Role');
      const withToken = workloadsOf(manifests).filter(
        (w) => podSpecOf(w).automountServiceAccountToken !== false,
      );
      const watching = workloadsOf(manifests).filter((workload) =>
        containerOf(workload).env?.some(({ name }) => name === 'POD_NAMESPACE'),
      );
      expect(withToken).toEqual(roles.length > 0 ? ofKind(manifests, 'Deployment') : []);
      expect(watching).toEqual(withToken);
      for (const { rules } of roles) {
        expect(rules).toEqual([{ apiGroups: [''], resources: ['pods'], verbs: ['get', 'list', 'watch'] }]);
      }
      expect(ofKind(manifests, 'ClusterRole', 'ClusterRoleBinding')).toEqual([]);
      for (const { subjects } of ofKind(manifests, 'RoleBinding')) {
        const accounts = new Set(withToken.map((workload) => podSpecOf(workload).serviceAccountName));
        expect(accounts).toEqual(new Set(subjects?.map(({ name }) => name)));
      }
      for (const account of ofKind(manifests, 'ServiceAccount')) {
        expect(account.automountServiceAccountToken).toBe(false);
      }
    });

    it('have their name, probes and a grace period when they belong to the service', async () => {
      for (const deployment of ofKind(await render({ valuesOf }), 'Deployment')) {
        const { name, env = [], ports, lifecycle, ...container } = containerOf(deployment);
        expect(podSpecOf(deployment).enableServiceLinks).toBe(false);
        expect(name).toBe('repotide');
        expect(env).toContainEqual({
          name: 'POD_NAME',
          valueFrom: { fieldRef: { fieldPath: 'metadata.name' } },
        });
        expect(ports).toMatchObject([{ name: 'http' }, { name: 'metrics' }]);
        expect(container.startupProbe?.httpGet).toEqual({ path: '/health/live', port: 'http' });
        expect(container.livenessProbe?.httpGet).toEqual({ path: '/health/live', port: 'http' });
        expect(container.readinessProbe?.httpGet).toEqual({ path: '/health/ready', port: 'http' });
        const grace = podSpecOf(deployment).terminationGracePeriodSeconds ?? 0;
        const config = theOne(await render({ valuesOf }), 'ConfigMap', String(configMapOf(deployment))).data;
        const needed = Number(config?.SHUTDOWN_GRACE_SECONDS) + (lifecycle?.preStop?.sleep?.seconds ?? 0);
        expect(grace).toBeGreaterThan(needed);
      }
    });

    it('differ only in component, roles and resources when they belong to the service', async () => {
      const templates = ofKind(await render({ valuesOf }), 'Deployment').map((deployment) => {
        const text = JSON.stringify(deployment.spec?.template, (key, value: unknown) =>
          key === 'resources' || key === 'app.kubernetes.io/component' ? undefined : value,
        );
        return text.replace(/("name":"REPOTIDE_ROLES","value":)"[a-z,]+"/, '$1"..."');
      });
      expect(new Set(templates).size).toBe(1);
    });
  });

for (const valuesOf of VALUES)
  describeWithHelm(`selectors and references with the values ${valuesOf ?? 'by default'}`, () => {
    it('select their pods, and selectors never change in an upgrade', async () => {
      const manifests = await render({ valuesOf });
      const podLabels = podLabelsOf(manifests);
      for (const { kind, spec } of manifests) {
        const selector =
          kind === 'Service'
            ? spec?.selector
            : (spec?.selector?.matchLabels ?? spec?.podSelector?.matchLabels);
        if (selector === undefined || kind === 'ServiceMonitor') continue;
        expect(podLabels.some((labels) => isWithin(selector as Record<string, string>, labels))).toBe(true);
        const stable = ['name', 'instance', 'component'].map((label) => `app.kubernetes.io/${label}`);
        expect(stable).toEqual(expect.arrayContaining(Object.keys(selector)));
      }
    });

    it('never select pods of two workloads', async () => {
      const manifests = await render({ valuesOf });
      for (const { spec } of ofKind(manifests, 'Deployment', 'StatefulSet')) {
        const chosen = podLabelsOf(manifests).filter((labels) =>
          isWithin(spec?.selector?.matchLabels, labels),
        );
        expect(chosen).toHaveLength(1);
      }
    });

    it('name ports, ConfigMaps, Secrets and scale targets that exist', async () => {
      const manifests = await render({ valuesOf });
      const names = (kind: string) => ofKind(manifests, kind).map(({ metadata }) => metadata.name);
      const existing = valuesOf === 'minimal' || valuesOf === 'split-roles' ? [] : ['repotide'];
      for (const workload of workloadsOf(manifests)) {
        for (const { configMapRef, secretRef } of containerOf(workload).envFrom ?? []) {
          if (configMapRef) expect([...names('ConfigMap'), 'company-proxy']).toContain(configMapRef.name);
          if (secretRef) expect([...names('Secret'), ...existing]).toContain(secretRef.name);
        }
      }
      const ports = workloadsOf(manifests).flatMap((w) => containerOf(w).ports?.map(({ name }) => name));
      for (const { spec } of ofKind(manifests, 'Service'))
        expect(ports).toContain(spec?.ports?.[0]?.targetPort);
      for (const { spec } of ofKind(manifests, 'HorizontalPodAutoscaler', 'ScaledObject')) {
        const target = theOne(manifests, 'Deployment', spec?.scaleTargetRef?.name);
        expect(target.spec).not.toHaveProperty('replicas');
      }
    });

    it.each([
      'a-release-name-of-the-greatest-length-that-helm-takes',
      'repotide-of-the-greatest-length-that-helm-takes-53-ch',
      'repotide-of-a-length-that-just-fits-in-42x',
    ])('have valid and unique names and labels in the release %s', async (release) => {
      const manifests = (await render({ valuesOf, release })).filter((manifest) => !isCleanup(manifest));
      const names = manifests.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
      expect(new Set(names).size).toBe(names.length);
      for (const { kind, metadata, spec } of manifests) {
        // A StatefulSet's name plus a hash of 10 and a dash becomes a label of its pods.
        const longest = kind === 'StatefulSet' ? 52 : 63;
        expect(metadata.name.length).toBeLessThanOrEqual(longest);
        expect(metadata.name).toMatch(/^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/);
        for (const value of Object.values({ ...metadata.labels, ...spec?.template?.metadata.labels })) {
          expect(value).toMatch(/^([A-Za-z0-9]([\w.-]{0,61}[A-Za-z0-9])?)?$/);
        }
      }
    });
  });

function configMapOf(workload: Manifest): string | undefined {
  return containerOf(workload).envFrom?.find(({ configMapRef }) => configMapRef)?.configMapRef?.name;
}
