import { IsText, MayBeAbsent } from '../http/field-rules.js';

/** What new repositories get a schedule of. */
export class ScheduleTemplateDto {
  @MayBeAbsent()
  @IsText(200)
  cron_expression?: string;

  @MayBeAbsent()
  @IsText(64)
  timezone?: string;
}

export const DEFAULT_TEMPLATE = { cron_expression: 'H * * * *', timezone: 'UTC' } as const;

/** Written out, as OpenAPI 3.0 cannot say "this class or null". */
export const TEMPLATE_SCHEMA = {
  type: 'object' as const,
  nullable: true,
  additionalProperties: false,
  properties: {
    cron_expression: {
      type: 'string' as const,
      maxLength: 200,
      default: DEFAULT_TEMPLATE.cron_expression,
      description:
        'Minute, hour, day of month, month, day of week. `H` is a number of each repository’s own, always the same: ' +
        '`H * * * *` is hourly at a minute of its own, `H H(0-5) * * *` once a night, `H/15 * * * *` every quarter.',
    },
    timezone: {
      type: 'string' as const,
      maxLength: 64,
      default: DEFAULT_TEMPLATE.timezone,
      description: 'IANA name of its zone.',
    },
  },
};
