import { expect, it } from '@jest/globals';
import { describeWithHelm, template } from './helm.js';

describeWithHelm('the chart names the key of a wrong value', () => {
  it.each<[string, string]>([
    ['config.LEASE_TTL=60', 'config: Additional property LEASE_TTL is not allowed'],
    ['config.DATABASE_URL=postgres://a', 'config: Additional property DATABASE_URL is not allowed'],
    ['config.REPOTIDE_ROLES=api', 'config: Additional property REPOTIDE_ROLES is not allowed'],
    ['config.POD_NAME=x', 'config: Additional property POD_NAME is not allowed'],
    ['config.PORT=80', 'config.PORT: Must be greater than or equal to 1024'],
    ['config.PORT=http', 'config.PORT: Invalid type. Expected: integer, given: string'],
    ['config.WORKER_CONCURRENCY=0', 'config.WORKER_CONCURRENCY: Must be greater than or equal to 1'],
    ['config.CHUNK_SIZE=7000.5', 'config.CHUNK_SIZE: Invalid type. Expected: integer'],
    ['config.LOG_LEVEL=loud', 'config.LOG_LEVEL must be one of'],
    ['config.QDRANT_URL=qdrant:6333', 'config.QDRANT_URL: Does not match pattern'],
    ['secrets.values.PORT=3000', 'secrets.values: Additional property PORT is not allowed'],
    ['secrets.from.DATABASE_URL.name=pg', 'secrets.from.DATABASE_URL: key is required'],
    ['secrets.from.DATABASE.name=pg', 'secrets.from: Additional property DATABASE is not allowed'],
    ['replicaCount=3', 'Additional property replicaCount is not allowed'],
    ['layout=both', 'layout must be one of'],
    [
      'components.all.replicas=two',
      'components.all.replicas: Invalid type. Expected: integer, given: string',
    ],
    ['components.api.resources.limit.cpu=1', 'components.api.resources: Additional property limit is not'],
    ['image.tag=a b', 'image.tag: Does not match pattern'],
    ['image.digest=sha256:12', 'image.digest: Does not match pattern'],
    ['securityContext.runAsUser=0', 'securityContext.runAsUser: Must be greater than or equal to 1'],
    ['securityContext.privileged=true', 'securityContext: Additional property privileged is not allowed'],
    ['podWatch.enabled=yes-please', 'podWatch.enabled: Invalid type. Expected: boolean, given: string'],
    ['podDisruptionBudget.maxUnavailable=half', 'podDisruptionBudget.maxUnavailable: Does not match pattern'],
    ['autoscaling.worker.minReplicas=0', 'autoscaling.worker.minReplicas: Must be greater than or equal'],
    [
      'networkPolicy.egress.postgres.port=1',
      'networkPolicy.egress.postgres: Additional property port is not',
    ],
    ['service.type=Clusterip', 'service.type must be one of'],
    ['shutdown.terminationGracePeriodSeconds=0', 'shutdown.terminationGracePeriodSeconds: Must be greater'],
  ])('%s is refused by the schema', async (assignment, message) => {
    await expect(template({ set: [assignment] })).rejects.toThrow(message);
  });

  it.each<[string, string[], string]>([
    [
      'a grace period that Kubernetes would cut off',
      ['shutdown.terminationGracePeriodSeconds=65'],
      'shutdown.terminationGracePeriodSeconds is 65, but must be more than shutdown.preStopSleepSeconds (5) + config.SHUTDOWN_GRACE_SECONDS (60)',
    ],
    [
      'the same through the setting of the service',
      ['config.SHUTDOWN_GRACE_SECONDS=120'],
      'config.SHUTDOWN_GRACE_SECONDS (120)',
    ],
    [
      'the same with the default of the service',
      ['config.SHUTDOWN_GRACE_SECONDS=null', 'shutdown.terminationGracePeriodSeconds=60'],
      'config.SHUTDOWN_GRACE_SECONDS (60)',
    ],
    ['a tag that moves', ['image.tag=latest'], 'image.tag is latest'],
    ['no database anywhere', ['secrets.existingSecret='], 'secrets.from.DATABASE_URL'],
    ['an ingress without a host', ['ingress.enabled=true'], 'ingress.hosts is empty'],
    ['a trial without a password', ['trial.enabled=true'], 'trial.password is empty'],
    [
      'a hook before the database of the trial',
      ['trial.enabled=true', 'trial.password=x'],
      'migration.enabled must be false',
    ],
    [
      'declared resources in two places',
      ['config.resources.repositories[0].project_path=a/b', 'config.DECLARED_RESOURCES=/etc/other'],
      'config.resources and config.DECLARED_RESOURCES are both set',
    ],
    ['scaling of a role in the combined layout', ['autoscaling.api.enabled=true'], 'needs layout: split'],
    [
      'fewest above most',
      ['layout=split', 'autoscaling.api.enabled=true', 'autoscaling.api.minReplicas=7'],
      'autoscaling.api.minReplicas (7) is above autoscaling.api.maxReplicas (6)',
    ],
  ])('%s is refused by the templates', async (_what, set, message) => {
    await expect(template({ set })).rejects.toThrow(message);
  });
});
