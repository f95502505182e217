import { type Type } from '@nestjs/common';
import { type Config } from '@platform/config';
import { type Chore } from './chore.js';
import { ApplyDeclared, LOOK_AT_FILES_SECONDS } from './apply-declared.js';
import { CheckCollections } from './check-collections.js';
import {
  DeleteOldAuditRecords,
  DeleteOldDeliveries,
  DeleteOldExecutions,
  EvictEmbeddingCache,
} from './delete-old-rows.js';
import { FillTerms } from './fill-terms.js';
import { ActivateRebuilds, DropRetiredIndexes, PointAliases } from './maintain-indexes.js';
import { QueueFollowUps, QueueIndexChecks, QueuePurges, QueueRebuilds } from './queue-runs.js';
import { RecoverLostRuns } from './recover-lost-runs.js';
import { SendEvents } from './send-events.js';
import { VERIFY_ROUND_SECONDS, VerifyIndexes } from './verify-indexes.js';

interface ChoreGroup {
  everySeconds: (config: Config) => number;
  /** Runs the first round when the process starts; default: after one interval. */
  runsAtStart?: boolean;
  /** Run in this order, one after the other. */
  chores: readonly Type<Chore>[];
}

/**
 * All chores. Groups run independently of each other: a slow chore delays only its own group. To add a chore, write a
 * class in this folder and add it to a group.
 */
export const CHORE_GROUPS: readonly ChoreGroup[] = [
  {
    everySeconds: ({ lease }) => lease.reaperIntervalSeconds,
    runsAtStart: true,
    chores: [RecoverLostRuns, QueueFollowUps, QueuePurges, QueueIndexChecks, QueueRebuilds],
  },
  // Queries are exact without it; it keeps them fast.
  { everySeconds: () => 15, chores: [DeleteOldExecutions] },
  { everySeconds: () => 30, chores: [ActivateRebuilds, PointAliases, DropRetiredIndexes] },
  // Before the leader's first round a restored database could serve the points of unknown repositories.
  { everySeconds: () => 60, runsAtStart: true, chores: [CheckCollections] },
  { everySeconds: () => VERIFY_ROUND_SECONDS, chores: [VerifyIndexes] },
  // Points without terms are rare: those of an older version, and lost ones.
  { everySeconds: () => 300, runsAtStart: true, chores: [FillTerms] },
  { everySeconds: () => LOOK_AT_FILES_SECONDS, chores: [ApplyDeclared] },
  { everySeconds: () => 1, chores: [SendEvents] },
  { everySeconds: () => 3600, chores: [DeleteOldAuditRecords, DeleteOldDeliveries] },
  // The cache exceeds its bound by what is added in between: at 100 texts per second, 6,000 of 200,000 entries.
  { everySeconds: () => 60, chores: [EvictEmbeddingCache] },
];
