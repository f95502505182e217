import { type WorkTotals } from '@core/domain';
import { ApiCount, ApiInstant, NULLABLE } from '../http/api-fields.js';

/** What ended runs did, added up. */
export class WorkTotalsDto {
  @ApiCount('Files looked at because they changed.')
  files_processed!: number;

  @ApiCount('Files that failed.', { example: 0 })
  files_failed!: number;

  @ApiCount('Points stored.')
  chunks_upserted!: number;

  @ApiCount('Points removed.')
  chunks_deleted!: number;

  @ApiCount('Texts sent to the embedder.')
  embeddings_requested!: number;

  @ApiCount('Vectors that were known already.')
  embeddings_reused!: number;
}

export function workOf(totals: WorkTotals): WorkTotalsDto {
  return {
    files_processed: totals.filesProcessed,
    files_failed: totals.filesFailed,
    chunks_upserted: totals.chunksUpserted,
    chunks_deleted: totals.chunksDeleted,
    embeddings_requested: totals.embeddingsRequested,
    embeddings_reused: totals.embeddingsReused,
  };
}

/** What a history answer speaks of. */
export class AnsweredRangeDto {
  @ApiInstant('Runs queued from here on; the midnight (UTC) before `from` where rows were deleted.')
  from!: Date;

  @ApiInstant('Runs queued before this.')
  to!: Date;

  @ApiInstant(
    'Executions queued before this were deleted by retention. Numbers over all repositories include them; those of one ' +
      'repository or schedule do not. Null when none was deleted yet.',
    NULLABLE,
  )
  rows_deleted_before!: Date | null;
}
