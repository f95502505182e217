import { ApiProperty } from '@nestjs/swagger';
import { ApiCount, ApiInstant, ApiUuid, NULLABLE } from '../http/api-fields.js';

export const PURGE_STATUSES = ['waiting', 'running', 'purged'] as const;
export type PurgeStatus = (typeof PURGE_STATUSES)[number];

/** How far the removal of a deleted repository is. */
export class PurgeDto {
  @ApiUuid('The repository that was deleted.')
  repository_id!: string;

  @ApiProperty({
    description: '`waiting`: for its run to start, or to be tried again; `purged`: nothing of it is left.',
    enum: PURGE_STATUSES,
    enumName: 'PurgeStatus',
  })
  status!: PurgeStatus;

  @ApiInstant('When it was deleted.')
  deleted_at!: Date;

  @ApiInstant('When the last of its points and file rows was removed; null until then.', NULLABLE)
  purged_at!: Date | null;

  @ApiUuid('The newest run that removes it; null until one is queued.', NULLABLE)
  execution_id!: string | null;

  @ApiCount('Points that this run has removed.')
  chunks_deleted!: number;
}
