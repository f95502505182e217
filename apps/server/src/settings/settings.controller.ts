import { Body, Controller, Get, Patch } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type SettingInForce } from '@core/domain';
import { ApiRoute } from '../http/api-route.js';
import { CallerName } from '../http/caller.js';
import { type ListDto, toList } from '../http/page.dto.js';
import { presentFields, someChange } from '../http/present-fields.js';
import { RequireRole } from '../http/role.js';
import { SettingDto, SettingListDto, UpdateSettingsDto } from './setting.dto.js';
import { SettingsService } from './settings.service.js';

@ApiTags('settings')
@Controller('api/v1/settings')
export class SettingsController {
  constructor(private readonly settings: SettingsService) {}

  @Get()
  @RequireRole('admin')
  @ApiRoute({ summary: 'List the settings in force', answers: SettingListDto })
  async listSettings(): Promise<ListDto<SettingDto>> {
    return answer(await this.settings.list());
  }

  @Patch()
  @RequireRole('admin')
  @ApiRoute({
    summary: 'Change settings',
    description:
      'All that are given, or none. Every pod obeys once it is answered. Null gives a setting its default back.',
    answers: SettingListDto,
    problems: {
      400: 'The form of the request is wrong, or it changes nothing.',
      422: '`setting_invalid`: `errors` names the setting and what it may be.',
    },
  })
  async updateSettings(
    @Body() body: UpdateSettingsDto,
    @CallerName() caller: string | null,
  ): Promise<ListDto<SettingDto>> {
    const { scheduling_paused, max_run_seconds } = body;
    const changes = someChange(presentFields({ scheduling_paused, max_run_seconds }));
    return answer(await this.settings.update(changes, caller));
  }
}

function answer(settings: SettingInForce[]): ListDto<SettingDto> {
  return toList({ items: settings, total: settings.length }, SettingDto.of);
}
