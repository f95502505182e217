import { expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { describeWithHelm, render, template } from './helm.js';
import { isCleanup, containerOf, type Manifest, ofKind, podSpecOf, theOne, workloadsOf } from './manifest.js';

function checksumsOf(manifests: Manifest[]): Record<string, string> | undefined {
  return theOne(manifests, 'Deployment').spec?.template?.metadata.annotations;
}

describeWithHelm('settings of the chart', () => {
  it('keep 0 and false, and omit only null', async () => {
    const manifests = await render({ valuesOf: 'zero-and-false' });
    expect(theOne(manifests, 'ConfigMap', 'repotide').data).toEqual({
      METRICS_PORT: '9464',
      PORT: '3000',
      SHUTDOWN_GRACE_SECONDS: '0',
      REDIS_DB: '0',
      CHUNK_OVERLAP: '0',
      MISFIRE_GRACE_SECONDS: '0',
    });
    const deployment = theOne(manifests, 'Deployment');
    expect(deployment.spec?.replicas).toBe(0);
    expect(podSpecOf(deployment).securityContext).not.toHaveProperty('runAsUser');
    expect(podSpecOf(deployment)).not.toHaveProperty('topologySpreadConstraints');
    expect(containerOf(deployment)).not.toHaveProperty('lifecycle');
    expect(theOne(manifests, 'Job').spec?.backoffLimit).toBe(0);
    expect(theOne(manifests, 'PodDisruptionBudget').spec?.maxUnavailable).toBe(0);
    expect(ofKind(manifests, 'ServiceAccount', 'NetworkPolicy')).toEqual([]);
  });

  it('keep large numbers as they were written', async () => {
    const set = ['config.MAX_FILE_BYTES=104857600', 'config.EMBEDDING_MAX_INPUT_TOKENS=10000000'];
    const { data } = theOne(await render({ set }), 'ConfigMap', 'repotide');
    expect(data).toMatchObject({ MAX_FILE_BYTES: '104857600', EMBEDDING_MAX_INPUT_TOKENS: '10000000' });
  });

  it('restart the pods when they change, and only then', async () => {
    const before = checksumsOf(await render());
    expect(checksumsOf(await render({ upgrade: true }))).toEqual(before);
    const changed = checksumsOf(await render({ set: ['config.LOG_LEVEL=debug'] }));
    expect(changed?.['checksum/config']).not.toBe(before?.['checksum/config']);
    expect(changed?.['checksum/secret']).toBe(before?.['checksum/secret']);
    const rotated = checksumsOf(await render({ set: ['secrets.values.GITLAB_TOKEN=another'] }));
    expect(rotated?.['checksum/secret']).not.toBe(before?.['checksum/secret']);
  });

  it('appear in no ConfigMap and in no pod when they are secret', async () => {
    const set = ['secrets.values.GITLAB_TOKEN=hush-hush'];
    const exposed = (await render({ set })).filter(({ kind }) => kind !== 'Secret');
    expect(JSON.stringify(exposed)).not.toContain('hush-hush');
  });

  it('from a single key override the Secret with all settings', async () => {
    const set = ['secrets.from.DATABASE_URL.name=pg-app', 'secrets.from.DATABASE_URL.key=uri'];
    const { env, envFrom } = containerOf(theOne(await render({ set }), 'Deployment'));
    expect(envFrom).toContainEqual({ secretRef: { name: 'repotide' } });
    const valueFrom = { secretKeyRef: { name: 'pg-app', key: 'uri' } };
    expect(env).toContainEqual({ name: 'DATABASE_URL', valueFrom });
  });

  it('leave the ports at 3000 and 9464 when they are not set', async () => {
    const manifests = await render({ set: ['config.PORT=null'] });
    expect(containerOf(theOne(manifests, 'Deployment')).ports).toEqual([
      { name: 'http', containerPort: 3000 },
      { name: 'metrics', containerPort: 9464 },
    ]);
    expect(theOne(manifests, 'ConfigMap', 'repotide').data?.METRICS_PORT).toBe('9464');
  });

  it('change the port of container, probes and Service together', async () => {
    const manifests = await render({ set: ['config.PORT=8080'] });
    expect(theOne(manifests, 'ConfigMap', 'repotide').data?.PORT).toBe('8080');
    expect(containerOf(theOne(manifests, 'Deployment')).ports).toEqual([
      { name: 'http', containerPort: 8080 },
      { name: 'metrics', containerPort: 9464 },
    ]);
  });
});

describeWithHelm('labels of the chart', () => {
  it('keep those that identify an object, whatever the values add', async () => {
    const name = 'app\\.kubernetes\\.io/name';
    const component = 'app\\.kubernetes\\.io/component';
    const set = [`commonLabels.${name}=x`, `commonLabels.${component}=x`, `pod.labels.${name}=y`];
    const manifests = await render({ set });
    const { metadata, spec } = theOne(manifests, 'Deployment');
    for (const labels of [metadata.labels, spec?.template?.metadata.labels]) {
      expect(labels).toMatchObject({
        'app.kubernetes.io/name': 'repotide',
        'app.kubernetes.io/component': 'all',
      });
    }
  });

  it('of pods contain no version, so that a new chart with the same image restarts none', async () => {
    const manifests = await render({ valuesOf: 'trial' });
    for (const { spec } of workloadsOf(manifests)) {
      const labels = Object.keys(spec?.template?.metadata.labels ?? {});
      expect(labels).not.toContain('helm.sh/chart');
      expect(labels).not.toContain('app.kubernetes.io/version');
    }
  });
});

describeWithHelm('the layout of the chart', () => {
  it('is by default one Deployment with every role, behind the Service', async () => {
    const deployment = theOne(await render(), 'Deployment');
    expect(containerOf(deployment).env).toContainEqual({
      name: 'REPOTIDE_ROLES',
      value: 'api,scheduler,worker',
    });
  });

  it('is with layout=split a Deployment for each role, and only the API is behind the Service', async () => {
    const manifests = await render({ valuesOf: 'split-roles' });
    const roles = ofKind(manifests, 'Deployment').map((deployment) => [
      deployment.metadata.name,
      containerOf(deployment).env?.find(({ name }) => name === 'REPOTIDE_ROLES')?.value,
      deployment.spec?.replicas,
    ]);
    expect(roles).toEqual([
      ['repotide-api', 'api', undefined],
      ['repotide-scheduler', 'scheduler', 2],
      ['repotide-worker', 'worker', 4],
    ]);
    expect(theOne(manifests, 'Service').spec?.selector).toMatchObject({
      'app.kubernetes.io/component': 'api',
    });
    expect(ofKind(manifests, 'PodDisruptionBudget')).toHaveLength(3);
  });
});

function isMigrationHook({ metadata }: Manifest): boolean {
  return metadata.annotations?.['helm.sh/hook'] === 'pre-install,pre-upgrade';
}

describeWithHelm('the migration', () => {
  it('leaves nothing after the release is removed: each of its objects is replaced by an empty one, then deleted', async () => {
    const manifests = await render({ set: ['secrets.values.GITLAB_TOKEN=hush-hush'] });
    const nameOf = ({ kind, metadata }: Manifest) => `${kind} ${metadata.name}`;
    const cleanups = manifests.filter(isCleanup);
    expect(cleanups.map(nameOf).toSorted()).toEqual(manifests.filter(isMigrationHook).map(nameOf).toSorted());
    expect(JSON.stringify(cleanups)).not.toContain('hush-hush');
    expect(cleanups.find(({ kind }) => kind === 'Job')?.spec).toMatchObject({ completions: 0 });
    for (const { metadata } of cleanups) {
      expect(metadata.annotations?.['helm.sh/hook-delete-policy']).toBe(
        'before-hook-creation,hook-succeeded',
      );
    }
  });

  it('fails at its first attempt when the program refuses a setting, before Helm stops waiting', async () => {
    const { spec } = theOne(await render(), 'Job');
    expect(spec?.podFailurePolicy?.rules).toContainEqual({
      action: 'FailJob',
      onExitCodes: { containerName: 'repotide', operator: 'In', values: [78] },
    });
    expect(spec?.activeDeadlineSeconds).toBeLessThan(300);
  });

  it('runs the image and settings of the release before it, without its other objects', async () => {
    const manifests = await render({ set: ['secrets.values.GITLAB_TOKEN=t'] });
    const job = theOne(manifests, 'Job');
    const { args, image, envFrom, ports } = containerOf(job);
    const deployment = containerOf(theOne(manifests, 'Deployment'));
    expect([args, ports]).toEqual([['migrate'], undefined]);
    expect([deployment.args, deployment.image]).toEqual([['serve'], image]);
    const hooks = manifests.filter(isMigrationHook);
    const references = envFrom?.map(({ configMapRef, secretRef }) => (configMapRef ?? secretRef)?.name);
    expect(references).toEqual(['repotide-migration', 'repotide', 'repotide-migration-values']);
    expect(hooks.map(({ kind, metadata }) => `${kind} ${metadata.name}`).toSorted()).toEqual([
      'ConfigMap repotide-migration',
      'Job repotide-migration',
      'NetworkPolicy repotide-migration',
      'Secret repotide-migration-values',
    ]);
    const settings = theOne(manifests, 'ConfigMap', 'repotide').data;
    expect(theOne(manifests, 'ConfigMap', 'repotide-migration').data).toEqual(settings);
    expect(podSpecOf(job).serviceAccountName).toBeUndefined();
  });

  it('runs after the objects that it needs', async () => {
    const weight = ({ metadata }: Manifest) => Number(metadata.annotations?.['helm.sh/hook-weight']);
    const hooks = (await render()).filter(isMigrationHook);
    const job = theOne(hooks, 'Job');
    for (const other of hooks) if (other !== job) expect(weight(other)).toBeLessThan(weight(job));
  });
});

describeWithHelm('the network policy', () => {
  const portsOf = (manifest: Manifest) =>
    manifest.spec?.egress?.flatMap(({ ports }) => ports.map(({ port }) => port));

  it('allows the connections that the pods need, and the Kubernetes API only for the pod watch', async () => {
    const policy = theOne(await render(), 'NetworkPolicy', 'repotide');
    expect(portsOf(policy)).toEqual([53, 53, 5353, 5353, 5432, 6379, 6333, 443, 443, 443, 6443]);
    const unwatched = await render({ set: ['podWatch.enabled=false'] });
    expect(portsOf(theOne(unwatched, 'NetworkPolicy', 'repotide'))).not.toContain(6443);
  });

  it('allows connections to the issuer of single sign-on when one is set', async () => {
    const portsAt = async (set: string[]) =>
      portsOf(theOne(await render({ set }), 'NetworkPolicy', 'repotide'));
    const issuer = [
      'config.OIDC_ISSUER=https://login.example.com/',
      'networkPolicy.egress.oidc.ports={8443}',
    ];
    expect(await portsAt(issuer)).toContain(8443);
    expect(await portsAt(issuer.slice(1))).not.toContain(8443);
  });

  it('allows connections to a receiver of traces when one is set', async () => {
    const portsAt = async (set: string[]) =>
      portsOf(theOne(await render({ set }), 'NetworkPolicy', 'repotide'));
    expect(await portsAt(['config.OTEL_EXPORTER_OTLP_ENDPOINT=http://collector:4318'])).toContain(4318);
    expect(await portsAt([])).not.toContain(4318);
  });

  it('allows the migration to connect to Postgres only', async () => {
    expect(portsOf(theOne(await render(), 'NetworkPolicy', 'repotide-migration'))).toEqual([
      53, 53, 5353, 5353, 5432,
    ]);
  });

  it('contains each destination in the values', async () => {
    const policy = theOne(await render({ valuesOf: 'restricted' }), 'NetworkPolicy', 'repotide');
    for (const { to } of policy.spec?.egress ?? []) expect(to).toHaveLength(1);
    expect(policy.spec?.ingress?.[0]?.from).toHaveLength(2);
  });

  it.each([
    ['config.GITLAB_URL=https://gitlab.example.com:8443/git', 8443],
    ['config.GITLAB_URL=http://gitlab.example.com', 80],
    ['config.EMBEDDING_URL=http://embeddings:8080/v1', 8080],
    ['config.QDRANT_URL=http://qdrant', 6333],
    ['config.QDRANT_URL=https://qdrant:443', 443],
    [
      'secrets.values.DATABASE_URL=postgres://u:p%40:1@pgbouncer.data.svc:6432/repotide?sslmode=require',
      6432,
    ],
    ['secrets.values.REDIS_URL=rediss://:p@redis:6390/0', 6390],
    ['secrets.values.REDIS_URL=redis+sentinel://a:26379\\,b:26380/primary/0', 26380],
  ])('allows the port of %s', async (set, port) => {
    expect(portsOf(theOne(await render({ set: [set] }), 'NetworkPolicy', 'repotide'))).toContain(port);
  });

  it('lets Prometheus and helm test connect when it names the clients', async () => {
    const peer = (name: string) => `ingressFrom[0].podSelector.matchLabels.app=${name}`;
    const set = [
      `networkPolicy.${peer('proxy')}`,
      `networkPolicy.${peer('prometheus').replace('ingressFrom', 'metricsFrom')}`,
    ];
    const manifests = await render({ set });
    const labels = theOne(manifests, 'Pod').metadata.labels;
    const [http, metrics] = theOne(manifests, 'NetworkPolicy', 'repotide').spec?.ingress ?? [];
    expect(metrics).toEqual({
      ports: [{ port: 'metrics', protocol: 'TCP' }],
      from: [{ podSelector: { matchLabels: { app: 'prometheus' } } }],
    });
    expect(http?.from).toEqual([
      { podSelector: { matchLabels: { app: 'proxy' } } },
      {
        podSelector: {
          matchLabels: {
            'app.kubernetes.io/name': labels?.['app.kubernetes.io/name'],
            'app.kubernetes.io/instance': 'repotide',
          },
        },
      },
    ]);
  });
});

describeWithHelm('declared resources', () => {
  const resources = ['config.resources.repositories[0].project_path=group/shop'];

  it('are mounted into the pods of the service as a folder, which DECLARED_RESOURCES names', async () => {
    const manifests = await render({ set: resources });
    const { data } = theOne(manifests, 'ConfigMap', 'repotide-resources');
    expect(parse(String(data?.['resources.yaml']))).toEqual({
      repositories: [{ project_path: 'group/shop' }],
    });
    const settings = theOne(manifests, 'ConfigMap', 'repotide').data;
    expect(settings).not.toHaveProperty('resources');
    const deployment = theOne(manifests, 'Deployment');
    const mounted = containerOf(deployment).volumeMounts?.find(({ name }) => name === 'resources');
    expect(mounted).toEqual({ name: 'resources', mountPath: settings?.DECLARED_RESOURCES, readOnly: true });
    const job = theOne(manifests, 'Job', 'repotide-migration');
    expect(containerOf(job).volumeMounts?.map(({ name }) => name)).not.toContain('resources');
  });

  it('restart no pod when they change', async () => {
    const [one, other] = await Promise.all(
      ['group/one', 'group/other'].map(async (path) => {
        const set = [`config.resources.repositories[0].project_path=${path}`];
        return theOne(await render({ set }), 'Deployment').spec?.template;
      }),
    );
    expect(one).toEqual(other);
  });

  it('are absent by default', async () => {
    expect(await template()).not.toContain('DECLARED_RESOURCES');
  });
});

describeWithHelm('the trial installation', () => {
  it('is marked as not for production in every object', async () => {
    const manifests = await render({ valuesOf: 'trial' });
    const parts = ofKind(manifests, 'StatefulSet');
    expect(parts.map(({ metadata }) => metadata.name)).toEqual([
      'repotide-postgres',
      'repotide-qdrant',
      'repotide-redis',
    ]);
    for (const { metadata, spec } of parts) {
      expect(metadata.labels).toMatchObject({ 'not-for-production': 'true' });
      expect(spec?.template?.metadata.labels).toMatchObject({ 'not-for-production': 'true' });
    }
  });

  it('runs a Redis that keeps jobs: append-only file, and no eviction', async () => {
    const redis = theOne(await render({ valuesOf: 'trial' }), 'StatefulSet', 'repotide-redis');
    const args = containerOf(redis).args?.join(' ');
    expect(args).toContain('--appendonly yes');
    expect(args).toContain('--maxmemory-policy noeviction');
  });

  it('needs no StorageClass when its data may be lost with the pods', async () => {
    const isData = ({ name }: { name: string }): boolean => name === 'data';
    for (const [persistent, claims] of [
      ['true', 3],
      ['false', 0],
    ] as const) {
      const manifests = await render({ valuesOf: 'trial', set: [`trial.persistent=${persistent}`] });
      const sets = ofKind(manifests, 'StatefulSet').map(({ spec }) => spec as StorageOfSet);
      expect(sets.flatMap((spec) => spec.volumeClaimTemplates ?? [])).toHaveLength(claims);
      const volumes = sets.flatMap(({ template }) => template.spec.volumes ?? []);
      expect(volumes.filter(isData)).toHaveLength(3 - claims);
    }
  });

  it('connects the service to its servers', async () => {
    const manifests = await render({ valuesOf: 'trial', release: 'try' });
    const { stringData } = theOne(manifests, 'Secret', 'try-repotide-values');
    const services = ofKind(manifests, 'Service').map(({ metadata, spec }) => [
      metadata.name,
      spec?.ports?.[0]?.port,
    ]);
    const { data } = theOne(manifests, 'ConfigMap');
    for (const url of [stringData?.DATABASE_URL, stringData?.REDIS_URL, data?.QDRANT_URL]) {
      const { hostname, port } = new URL(String(url));
      expect(services).toContainEqual([hostname, Number(port)]);
    }
  });

  it('allows only the service to connect to its servers', async () => {
    const manifests = await render({ valuesOf: 'trial' });
    const own = theOne(manifests, 'Deployment').spec?.template?.metadata.labels;
    for (const { metadata } of ofKind(manifests, 'StatefulSet')) {
      const policy = theOne(manifests, 'NetworkPolicy', metadata.name);
      const from = policy.spec?.ingress?.[0]?.from as [{ podSelector: { matchLabels: object } }];
      expect(from).toHaveLength(1);
      expect(own).toMatchObject(from[0].podSelector.matchLabels);
    }
  });
});

describeWithHelm('two releases whose long names begin with the same characters', () => {
  it('do not share an object', async () => {
    const namesOf = async (release: string) =>
      workloadsOf(await render({ release })).map(({ metadata }) => metadata.name);
    const beginning = 'the-same-beginning-for-both-of-these-releases';
    const first = await namesOf(`${beginning}-a`);
    for (const name of await namesOf(`${beginning}-b`)) expect(first).not.toContain(name);
  });
});

interface StorageOfSet {
  volumeClaimTemplates?: object[];
  template: { spec: { volumes?: { name: string }[] } };
}
