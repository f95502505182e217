import { type MigrationInterface } from 'typeorm';
import { InitialSchema1764892800000 } from './0001-initial-schema.js';
import { LexicalLane1764979200000 } from './0002-lexical-lane.js';
import { GitHosts1765065600000 } from './0003-git-hosts.js';
import { RepositoryOutcomes1765152000000 } from './0004-repository-outcomes.js';
import { RequestedBuilds1765238400000 } from './0005-requested-builds.js';
import { AuditChain1765324800000 } from './0006-audit-chain.js';
import { DeclaredResources1765411200000 } from './0007-declared-resources.js';
import { UserSessions1765497600000 } from './0008-user-sessions.js';
import { EventWebhooks1765584000000 } from './0009-event-webhooks.js';
import { EmbeddingClaims1765670400000 } from './0010-embedding-claims.js';
import { DeclarationRounds1765756800000 } from './0011-declaration-rounds.js';
import { SearchGates1765843200000 } from './0012-search-gates.js';
import { HistoryAdditions1765929600000 } from './0013-history-additions.js';
import { HistoryTotals1766016000000 } from './0014-history-totals.js';

export type MigrationClass = new () => MigrationInterface & { readonly name: string };

/**
 * In order of application. A released migration is never edited; a change of the schema is a new migration,
 * and the previous version must keep working. If it cannot, the name begins with `Breaking`, and older
 * versions refuse the database.
 */
export const MIGRATIONS: readonly MigrationClass[] = [
  InitialSchema1764892800000,
  LexicalLane1764979200000,
  GitHosts1765065600000,
  RepositoryOutcomes1765152000000,
  RequestedBuilds1765238400000,
  AuditChain1765324800000,
  DeclaredResources1765411200000,
  UserSessions1765497600000,
  EventWebhooks1765584000000,
  EmbeddingClaims1765670400000,
  DeclarationRounds1765756800000,
  SearchGates1765843200000,
  HistoryAdditions1765929600000,
  HistoryTotals1766016000000,
];
