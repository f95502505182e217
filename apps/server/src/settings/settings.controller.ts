import { Body, Get, Patch, Res } from '@nestjs/common';
import { type Response } from 'express';
import { SettingsStore } from '@adapters/postgres';
import { revisionOfSettings, Hints, type SettingState } from '@core/domain';
import { ApiRoute, header, Resource, tagRevision } from '../http/api-route.js';
import { CallerName, RequireRole } from '../access/role.js';
import { type Given, snakeCase } from '../http/model.js';
import { someChange, ExpectedRevision } from '../http/parameters.js';
import { SettingListDto, UpdateSettingsDto } from './setting.schema.js';

const ETAG = { ETag: header('The revision of all settings together, for `If-Match`.') };

/** Runtime settings. Every pod reads them from the database when it needs them. */
@Resource('settings')
export class SettingsController {
  constructor(
    private readonly settings: SettingsStore,
    private readonly hints: Hints,
  ) {}

  @Get()
  @RequireRole('admin')
  @ApiRoute({ summary: 'List the settings in force', answers: SettingListDto, headers: ETAG })
  async listSettings(@Res({ passthrough: true }) response: Response) {
    return answer(await this.settings.list(), response);
  }

  @Patch()
  @RequireRole('admin')
  @ApiRoute({
    summary: 'Change settings',
    description:
      'Changes all given settings or none. Every pod obeys as soon as this is answered. Null restores a default.',
    answers: SettingListDto,
    headers: ETAG,
    problems: {
      400: 'The form of the request is wrong, or it changes nothing.',
      422: '`setting_invalid`: `errors` names the setting and what it may be.',
    },
  })
  async updateSettings(
    @Body({ schema: UpdateSettingsDto }) body: Given<typeof UpdateSettingsDto>,
    @CallerName() caller: string | null,
    @ExpectedRevision(
      'Change them only if all settings together still have this `ETag`.',
      '`revision_mismatch`: a setting was changed since.',
    )
    revision: number | undefined,
    @Res({ passthrough: true }) response: Response,
  ) {
    const changes = Object.entries(someChange(body)).map(
      ([name, value]) => [snakeCase(name), value] as const,
    );
    const settings = await this.settings.update(Object.fromEntries(changes), caller, revision);
    // Ticks that became due while scheduling was paused should not wait for the next poll.
    this.hints.publish({ kind: 'schedules_changed' });
    return answer(settings, response);
  }
}

function answer(settings: SettingState[], response: Response) {
  tagRevision(response, { revision: revisionOfSettings(settings) });
  return { items: settings, total: settings.length };
}
