import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { fileStatusOf } from '@core/domain';
import { ApiRoute } from '../http/api-route.js';
import { IdParam } from '../http/parameters.js';
import { fieldsOf } from '../http/model.js';
import { ReadsCode } from '../http/audited.js';
import { RequireRole } from '../access/role.js';
import { FileListDto, FileQueryDto, FolderListDto, PurgeDto, TreeQueryDto } from './contents.schema.js';
import { RepositoriesService } from './repositories.service.js';

/** Lists the indexed files and folders of a repository, or how far its purge is. */
@ApiTags('repositories')
@Controller('api/v1/repositories/:id')
@RequireRole('viewer')
export class ContentsController {
  constructor(private readonly repositories: RepositoriesService) {}

  @Get('files')
  @ReadsCode('file.list')
  @ApiRoute({
    summary: 'List the files of a repository',
    description: 'Each path with its status: in the index, left out by a rule, or failed.',
    answers: FileListDto,
  })
  async listFiles(
    @IdParam('repository') repositoryId: string,
    @Query({ schema: FileQueryDto }) query: FileQueryDto,
  ) {
    const { search: pathPart, ...filter } = fieldsOf(query);
    const { items, total } = await this.repositories.listFiles(repositoryId, { ...filter, pathPart }, query);
    return { items: items.map((entry) => ({ ...entry, status: fileStatusOf(entry) })), total };
  }

  @Get('tree')
  @ReadsCode('folder.list')
  @ApiRoute({ summary: 'List the folders below a folder', answers: FolderListDto })
  listFolders(
    @IdParam('repository') repositoryId: string,
    @Query({ schema: TreeQueryDto }) query: TreeQueryDto,
  ) {
    return this.repositories.listFolder(repositoryId, query.path ?? '', query);
  }

  @Get('purge')
  @ApiRoute({
    summary: 'Show how far the removal of a deleted repository is',
    description: 'A repository that is not deleted has none: 404 `purge_not_found`.',
    answers: PurgeDto,
  })
  getPurge(@IdParam('repository') repositoryId: string) {
    return this.repositories.purgeOf(repositoryId);
  }
}
