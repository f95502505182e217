import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { ApiRoute } from '../http/api-route.js';
import { ApiId, IdParam } from '../http/id-param.js';
import { type ListDto, toList } from '../http/page.dto.js';
import { RequireRole } from '../access/role.js';
import { FileDto, FileListDto, FolderDto, FolderListDto } from './file.dto.js';
import { RepositoriesService } from './repositories.service.js';
import { FileQueryDto, TreeQueryDto } from './repository-queries.dto.js';

/** What the index holds of a repository. */
@ApiTags('repositories')
@Controller('api/v1/repositories/:id')
@RequireRole('viewer')
export class ContentsController {
  constructor(private readonly repositories: RepositoriesService) {}

  @Get('files')
  @ApiId('repository')
  @ApiRoute({
    summary: 'List the files of a repository',
    description: 'What became of each path: in the index, left out by a rule, or failed.',
    answers: FileListDto,
  })
  async listFiles(@IdParam() repositoryId: string, @Query() query: FileQueryDto): Promise<ListDto<FileDto>> {
    const { status, path_prefix: pathPrefix, has_secrets: hasSecrets } = query;
    const filter = { status, pathPrefix, hasSecrets };
    return toList(await this.repositories.listFiles(repositoryId, filter, query), FileDto.of);
  }

  @Get('tree')
  @ApiId('repository')
  @ApiRoute({ summary: 'List the folders below a folder', answers: FolderListDto })
  async listFolders(
    @IdParam() repositoryId: string,
    @Query() query: TreeQueryDto,
  ): Promise<ListDto<FolderDto>> {
    return toList(await this.repositories.listFolder(repositoryId, query.path ?? '', query), FolderDto.of);
  }
}
