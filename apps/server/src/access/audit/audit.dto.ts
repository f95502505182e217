import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import {
  AUDIT_OUTCOMES,
  type AuditEntry,
  type AuditFilter,
  type AuditOutcome,
  type Role,
} from '@core/domain';
import { ApiCount, ApiInstant, ApiText, NULLABLE } from '../../http/api-fields.js';
import { IsOneOf, IsText, MayBeAbsent } from '../../http/field-rules.js';
import { assertForwards } from '../../http/instant-range.js';
import { listOf, PageQueryDto } from '../../http/page.dto.js';
import { InstantFilter } from '../../http/query-filters.js';
import { ROLES } from '../token.dto.js';

export class AuditQueryDto extends PageQueryDto {
  @ApiPropertyOptional({ description: 'Only calls of this caller.', type: String, example: 'oidc:7' })
  @MayBeAbsent()
  @IsText(300)
  actor_id?: string;

  @ApiPropertyOptional({ description: 'Only this action.', type: String, example: 'lock.release' })
  @MayBeAbsent()
  @IsText(100)
  action?: string;

  @ApiPropertyOptional({ description: 'Only of this kind of subject.', type: String, example: 'schedule' })
  @MayBeAbsent()
  @IsText(100)
  subject_type?: string;

  @ApiPropertyOptional({ description: 'Only of this subject.', type: String })
  @MayBeAbsent()
  @IsText(100)
  subject_id?: string;

  @ApiPropertyOptional({ description: 'Only with this end.', enum: AUDIT_OUTCOMES, enumName: 'AuditOutcome' })
  @MayBeAbsent()
  @IsOneOf(AUDIT_OUTCOMES)
  outcome?: AuditOutcome;

  @InstantFilter('Only from here on.')
  from?: Date;

  @InstantFilter('Only before this.')
  to?: Date;
}

/** @throws InvalidRequest for a range that ends before it begins. */
export function auditFilterOf(query: AuditQueryDto): AuditFilter {
  assertForwards(query);
  return {
    actorId: query.actor_id,
    action: query.action,
    subjectType: query.subject_type,
    subjectId: query.subject_id,
    outcome: query.outcome,
    from: query.from,
    to: query.to,
  };
}

/** An `audit_log` row. */
export class AuditEntryDto {
  @ApiCount('Grows with each call.')
  id!: number;

  @ApiInstant('When it was asked for.')
  at!: Date;

  @ApiText('Who asked: the id of an API token, or `oidc:` and the subject.', 'oidc:7')
  actor_id!: string;

  @ApiText('Their name at that time.', 'platform-admin')
  actor_name!: string;

  @ApiProperty({ description: 'Their role at that time.', enum: ROLES, enumName: 'Role' })
  actor_role!: Role;

  @ApiText('What was asked for: subject and verb.', 'lock.release')
  action!: string;

  @ApiText('What it was about.', 'lock', NULLABLE)
  subject_type!: string | null;

  @ApiText('Which one.', '0b0f1c9e-5f0e-4a55-8f0e-3a2f6f1d7c11', NULLABLE)
  subject_id!: string | null;

  @ApiText('Why, in the words of who asked.', 'The pod hangs.', NULLABLE)
  reason!: string | null;

  @ApiText('The request, as in the log lines.', '5a1d3f0e-8a55-4a7a-9a53-0c8a6c2f6a31')
  request_id!: string;

  @ApiProperty({
    description: 'How it ended; null while it runs, or when the process died in it.',
    type: String,
    enum: [...AUDIT_OUTCOMES, null],
    nullable: true,
    example: 'succeeded',
  })
  outcome!: AuditOutcome | null;

  @ApiText('Why it did not succeed.', 'lock_not_held', NULLABLE)
  error_code!: string | null;

  @ApiProperty({
    description: 'The body of a call that succeeded, secrets masked.',
    type: 'object',
    additionalProperties: true,
    nullable: true,
    example: { is_active: false },
  })
  changes!: Readonly<Record<string, unknown>> | null;

  static of(this: void, entry: AuditEntry): AuditEntryDto {
    return {
      id: entry.id,
      at: entry.at,
      actor_id: entry.actorId,
      actor_name: entry.actorName,
      actor_role: entry.actorRole,
      action: entry.action,
      subject_type: entry.subjectType,
      subject_id: entry.subjectId,
      reason: entry.reason,
      request_id: entry.requestId,
      outcome: entry.outcome,
      error_code: entry.errorCode,
      changes: entry.changes,
    };
  }
}

export const AuditEntryListDto = listOf(AuditEntryDto);
