import { type RunCounters } from '@core/domain';
import { ApiCount } from '../http/api-fields.js';

/** What a run did, over all its attempts. */
export class CountersDto {
  @ApiCount('Files looked at because they changed: added, modified, renamed and deleted.')
  files_processed!: number;

  @ApiCount('New files.')
  files_added!: number;

  @ApiCount('Files with other content.')
  files_modified!: number;

  @ApiCount('Files whose content moved to another path.')
  files_renamed!: number;

  @ApiCount('Files that are gone.')
  files_deleted!: number;

  @ApiCount('Files that a rule keeps out of the index, among the processed.')
  files_skipped!: number;

  @ApiCount('Files that failed; the next run tries them again.', { example: 0 })
  files_failed!: number;

  @ApiCount('Points stored.')
  chunks_upserted!: number;

  @ApiCount('Points removed.')
  chunks_deleted!: number;

  @ApiCount('Texts sent to the embedder.')
  embeddings_requested!: number;

  @ApiCount('Their tokens, estimated at 3 characters a token.', { example: 4_200 })
  embedding_tokens!: number;

  @ApiCount('Vectors that were known already.')
  embeddings_reused!: number;

  @ApiCount('Requests to the code host, retries included.')
  source_requests!: number;

  @ApiCount('Those among them that repeated a failed one.', { example: 0 })
  source_retries!: number;

  @ApiCount('Bytes fetched from the code host.', { example: 48_213 })
  bytes_fetched!: number;

  @ApiCount('Seconds in which its requests waited for the limits of a code host or embedding server.', {
    example: 0,
  })
  rate_limited_seconds!: number;
}

export function countersOf(counters: RunCounters): CountersDto {
  return {
    files_processed: counters.filesProcessed,
    files_added: counters.filesAdded,
    files_modified: counters.filesModified,
    files_renamed: counters.filesRenamed,
    files_deleted: counters.filesDeleted,
    files_skipped: counters.filesSkipped,
    files_failed: counters.filesFailed,
    chunks_upserted: counters.chunksUpserted,
    chunks_deleted: counters.chunksDeleted,
    embeddings_requested: counters.embeddingsRequested,
    embedding_tokens: counters.embeddingTokens,
    embeddings_reused: counters.embeddingsReused,
    source_requests: counters.sourceRequests,
    source_retries: counters.sourceRetries,
    bytes_fetched: counters.bytesFetched,
    rate_limited_seconds: counters.rateLimitedSeconds,
  };
}
