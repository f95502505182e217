import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Allow } from 'class-validator';
import { type SettingInForce } from '@core/domain';
import { ApiCount, ApiInstant, ApiText, NULLABLE } from '../http/api-fields.js';
import { listOf } from '../http/page.dto.js';

const SETTING_VALUE = { oneOf: [{ type: 'boolean' }, { type: 'integer', nullable: true }] };

/** A setting as it is in force. */
export class SettingDto {
  @ApiText('Name of the setting.', 'scheduling_paused')
  name!: string;

  @ApiProperty({ description: 'What all pods obey.', ...SETTING_VALUE, example: false })
  value!: unknown;

  @ApiProperty({ description: 'What they obey while nobody has set it.', ...SETTING_VALUE, example: false })
  default!: unknown;

  @ApiText('What it may be.', 'true or false')
  type!: string;

  @ApiText('What it means.', 'While true no pod claims a tick.')
  description!: string;

  @ApiText('The token that changed it last; null while nobody has.', 'ann', NULLABLE)
  updated_by!: string | null;

  @ApiInstant('When it was changed last.', NULLABLE)
  updated_at!: Date | null;

  @ApiCount('How often it was changed.', { example: 0 })
  revision!: number;

  static of(this: void, setting: SettingInForce): SettingDto {
    const { name, value, default: defaultValue, type, description, updatedBy, updatedAt, revision } = setting;
    return {
      name,
      value,
      default: defaultValue,
      type,
      description,
      updated_by: updatedBy,
      updated_at: updatedAt,
      revision,
    };
  }
}

export const SettingListDto = listOf(SettingDto);

/** The store judges the values: its table of settings is the only one that knows them. */
export class UpdateSettingsDto {
  @ApiPropertyOptional({
    description: 'True: no pod claims a tick until it is false again.',
    type: Boolean,
    nullable: true,
    example: true,
  })
  @Allow()
  scheduling_paused?: unknown;

  @ApiPropertyOptional({
    description: 'Time limit of runs that start from now on, in seconds; null: `MAX_RUN_SECONDS`.',
    type: 'integer',
    nullable: true,
    example: 3600,
  })
  @Allow()
  max_run_seconds?: unknown;
}
