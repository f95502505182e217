import { type Discovery, type DiscoveryRun, type NewDiscovery, RepotideError } from '@core/domain';
import { columnsOf, selectList } from '../sql/columns.js';

/** The properties of a new row. */
export const GIVEN = columnsOf<NewDiscovery>({
  name: true,
  baseUrl: true,
  groupPath: true,
  includeSubgroups: true,
  membersOnly: true,
  includeProjects: true,
  excludeProjects: true,
  branches: true,
  archivedProjects: true,
  credentialId: true,
  collectionName: true,
  includeGlobs: true,
  excludeGlobs: true,
  maxFileBytes: true,
  chunkSize: true,
  chunkOverlap: true,
  scheduleCronExpression: true,
  scheduleTimezone: true,
  cronExpression: true,
  timezone: true,
  isActive: true,
  graceHours: true,
});

const COLUMNS: readonly (keyof Discovery)[] = [
  'id',
  ...GIVEN,
  'nextRunAt',
  'revision',
  'createdAt',
  'updatedAt',
];
export const SELECT_DISCOVERY = selectList(COLUMNS);

export const SELECT_RUN = selectList(
  columnsOf<DiscoveryRun>({
    id: true,
    discoveryId: true,
    trigger: true,
    status: true,
    force: true,
    requestedBy: true,
    attempt: true,
    podName: true,
    queuedAt: true,
    startedAt: true,
    heartbeatAt: true,
    completedAt: true,
    projectsListed: true,
    added: true,
    kept: true,
    restored: true,
    missing: true,
    retired: true,
    skipped: true,
    failed: true,
    errorCode: true,
    errorMessage: true,
  }),
);

export function discoveryNotFound(discoveryId: string): never {
  throw new RepotideError('not_found', 'discovery_not_found', `There is no discovery ${discoveryId}.`, {
    details: { discovery_id: discoveryId },
  });
}

export function noRow(): never {
  throw new RepotideError('internal', 'database_error', 'A statement returned no row.');
}
