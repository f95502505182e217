import { Body, Controller, Get, Patch, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type Response } from 'express';
import { revisionOfSettings, type SettingState } from '@core/domain';
import { ApiRoute } from '../http/api-route.js';
import { CallerName } from '../access/caller.js';
import { presentPage, type ListDto } from '../http/model.js';
import { someChange } from '../http/some-change.js';
import { ApiIfMatch, ExpectedRevision, tagRevision } from '../http/revision.js';
import { RequireRole } from '../access/role.js';
import { SettingDto, SettingListDto, UpdateSettingsDto } from './setting.schema.js';
import { SettingsService } from './settings.service.js';

const ETAG = { ETag: 'The revision of all settings together, for `If-Match`.' };

@ApiTags('settings')
@Controller('api/v1/settings')
export class SettingsController {
  constructor(private readonly settings: SettingsService) {}

  @Get()
  @RequireRole('admin')
  @ApiRoute({ summary: 'List the settings in force', answers: SettingListDto, headers: ETAG })
  async listSettings(@Res({ passthrough: true }) response: Response): Promise<ListDto<SettingDto>> {
    return answer(await this.settings.list(), response);
  }

  @Patch()
  @RequireRole('admin')
  @ApiIfMatch(
    'Change them only if all settings together still have this `ETag`.',
    '`revision_mismatch`: a setting was changed since.',
  )
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
    @Body({ schema: UpdateSettingsDto }) body: UpdateSettingsDto,
    @CallerName() caller: string | null,
    @ExpectedRevision() revision: number | undefined,
    @Res({ passthrough: true }) response: Response,
  ): Promise<ListDto<SettingDto>> {
    return answer(await this.settings.update(someChange(body), caller, revision), response);
  }
}

function answer(settings: SettingState[], response: Response): ListDto<SettingDto> {
  tagRevision(response, { revision: revisionOfSettings(settings) });
  return presentPage(SettingDto, { items: settings, total: settings.length });
}
