import { randomUUID } from 'node:crypto';
import { type INestApplicationContext } from '@nestjs/common';
import { type DryRunReport, type NewRepository, type Repository } from '@core/domain';
import { DryRunService, RegistrationService } from '../../server/src/index.js';
import { findRegistered, projectOf, type SyncTarget } from './sync-project.js';

/** Plans a sync of a project. Uses default settings for an unregistered project, and does not register it. */
export async function dryRunNow(
  context: INestApplicationContext,
  target: SyncTarget,
  { full, signal }: { full: boolean; signal: AbortSignal },
): Promise<DryRunReport> {
  const registered = await findRegistered(context, target);
  const repository =
    registered ?? unregistered(await context.get(RegistrationService).locate(projectOf(target), signal));
  return context.get(DryRunService).plan(repository, { fullSync: full }, signal);
}

/** The row that the repository would have after its registration: nothing is indexed yet. */
function unregistered(repository: NewRepository): Repository {
  const now = new Date();
  return {
    ...repository,
    id: randomUUID(),
    lastSyncedCommit: null,
    lastSyncAt: null,
    indexFingerprint: null,
    indexDirty: false,
    indexSuspicions: 0,
    markFence: null,
    markPoints: null,
    warnings: [],
    revision: 1,
    discoveryId: null,
    missingSince: null,
    purgedAt: null,
    createdAt: now,
    updatedAt: now,
    deletedAt: null,
  };
}
