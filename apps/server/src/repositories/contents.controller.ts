import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { fileStatusOf } from '@core/domain';
import { ApiRoute } from '../http/api-route.js';
import { ApiId, IdParam } from '../http/id-param.js';
import { fieldsOf, present, presentPage, type ListDto } from '../http/model.js';
import { RequireRole } from '../access/role.js';
import {
  FileDto,
  FileListDto,
  FileQueryDto,
  FolderDto,
  FolderListDto,
  TreeQueryDto,
} from './contents.schema.js';
import { RepositoriesService } from './repositories.service.js';

/** Lists the indexed files and folders of a repository. */
@ApiTags('repositories')
@Controller('api/v1/repositories/:id')
@RequireRole('viewer')
export class ContentsController {
  constructor(private readonly repositories: RepositoriesService) {}

  @Get('files')
  @ApiId('repository')
  @ApiRoute({
    summary: 'List the files of a repository',
    description: 'Each path with its status: in the index, left out by a rule, or failed.',
    answers: FileListDto,
  })
  async listFiles(
    @IdParam() repositoryId: string,
    @Query({ schema: FileQueryDto }) query: FileQueryDto,
  ): Promise<ListDto<FileDto>> {
    const { items, total } = await this.repositories.listFiles(repositoryId, fieldsOf(query), query);
    return { items: items.map((entry) => present(FileDto, entry, { status: fileStatusOf(entry) })), total };
  }

  @Get('tree')
  @ApiId('repository')
  @ApiRoute({ summary: 'List the folders below a folder', answers: FolderListDto })
  async listFolders(
    @IdParam() repositoryId: string,
    @Query({ schema: TreeQueryDto }) query: TreeQueryDto,
  ): Promise<ListDto<FolderDto>> {
    const folders = await this.repositories.listFolder(repositoryId, query.path ?? '', query);
    return presentPage(FolderDto, folders);
  }
}
