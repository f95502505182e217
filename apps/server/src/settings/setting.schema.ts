import { z } from 'zod';
import { count, instant, shown } from '../http/fields.js';
import { listOf, changes, model } from '../http/model.js';

const value = (description: string) =>
  z
    .unknown()
    .meta({ description, oneOf: [{ type: 'boolean' }, { type: 'integer', nullable: true }], example: false });

/** A setting with its effective value. */
export const SettingDto = model('SettingDto', {
  name: shown('Name of the setting.', 'scheduling_paused'),
  value: value('The value that all pods obey.'),
  default: value('The value that they obey while nobody has set it.'),
  type: shown('Which values are valid.', 'true or false'),
  description: shown('What it means.', 'While true no pod claims a tick.'),
  updated_by: shown('Name of the token that last changed it; null while nobody has.', 'ann').nullable(),
  updated_at: instant('When it was last changed.').nullable(),
  revision: count('How often it was changed.', 0),
});
export const SettingListDto = listOf(SettingDto);

/** The store checks the values: only its table of settings knows which are valid. */
export const UpdateSettingsDto = changes('UpdateSettingsDto', {
  scheduling_paused: z
    .unknown()
    .meta({
      description: 'True: no pod claims a tick until it is false again.',
      type: 'boolean',
      nullable: true,
      example: true,
    })
    .optional(),
  max_run_seconds: z
    .unknown()
    .meta({
      description: 'Time limit in seconds of runs that start from now on; null: `MAX_RUN_SECONDS`.',
      type: 'integer',
      nullable: true,
      example: 3600,
    })
    .optional(),
});
