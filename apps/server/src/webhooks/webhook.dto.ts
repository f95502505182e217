import { ApiProperty } from '@nestjs/swagger';
import { ApiText, NULLABLE } from '../http/api-fields.js';

export const WEBHOOK_STATUSES = ['accepted', 'ignored', 'repeated'] as const;

/** What becomes of an event. */
export class WebhookReceiptDto {
  @ApiProperty({
    description:
      'Accepted: a run follows. Ignored: there is nothing to do. Repeated: the delivery came before.',
    enum: WEBHOOK_STATUSES,
    enumName: 'WebhookStatus',
  })
  status!: (typeof WEBHOOK_STATUSES)[number];

  @ApiText(
    'Why it is ignored: not_a_push, push_not_understood, not_a_branch, branch_deleted, not_registered.',
    'branch_deleted',
    NULLABLE,
  )
  reason!: string | null;

  @ApiProperty({
    description:
      'Runs that were queued for it. Empty when a run that waits, or one after the present one, reads it.',
    type: [String],
    format: 'uuid',
  })
  execution_ids!: string[];
}
