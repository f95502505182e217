import { type MigrationInterface } from 'typeorm';
import { InitialSchema1763596800000 } from './0001-initial-schema.js';
import { HistoryIndexes1763683200000 } from './0002-history-indexes.js';
import { EmbeddedVectors1763769600000 } from './0003-embedded-vectors.js';
import { RepositoryLeases1763856000000 } from './0004-repository-leases.js';
import { FetchStrategy1763942400000 } from './0005-fetch-strategy.js';
import { HistoryAndAccess1764028800000 } from './0006-history-access.js';
import { CredentialKinds1764115200000 } from './0007-credential-kinds.js';
import { FileSecrets1764201600000 } from './0008-file-secrets.js';
import { Webhooks1764288000000 } from './0009-webhooks.js';
import { HostLimits1764374400000 } from './0010-host-limits.js';
import { Discoveries1764460800000 } from './0011-discoveries.js';
import { BreakingIndexGenerations1764547200000 } from './0012-index-generations.js';
import { Budgets1764633600000 } from './0013-budgets.js';
import { SortingAndRevisions1764720000000 } from './0014-sorting-and-revisions.js';
import { LongPaths1764806400000 } from './0015-long-paths.js';

export type MigrationClass = new () => MigrationInterface & { readonly name: string };

/**
 * In order; never edited once released, only added to. A migration must leave the version before it working; one that
 * cannot is named `Breaking...`, and that version refuses the database then.
 */
export const MIGRATIONS: readonly MigrationClass[] = [
  InitialSchema1763596800000,
  HistoryIndexes1763683200000,
  EmbeddedVectors1763769600000,
  RepositoryLeases1763856000000,
  FetchStrategy1763942400000,
  HistoryAndAccess1764028800000,
  CredentialKinds1764115200000,
  FileSecrets1764201600000,
  Webhooks1764288000000,
  HostLimits1764374400000,
  Discoveries1764460800000,
  BreakingIndexGenerations1764547200000,
  Budgets1764633600000,
  SortingAndRevisions1764720000000,
  LongPaths1764806400000,
];
