import { Get, Query } from '@nestjs/common';
import { ExecutionStore, fileStatusOf, ManifestStore, RepositoryStore, RepotideError } from '@core/domain';
import { ApiRoute, Resource } from '../http/api-route.js';
import { IdParam } from '../http/parameters.js';
import { type Given } from '../http/model.js';
import { existing } from '../http/problem.js';
import { ReadsCode } from '../http/audited.js';
import { RequireRole } from '../access/role.js';
import { FileListDto, FileQueryDto, FolderListDto, PurgeDto, TreeQueryDto } from './contents.schema.js';

/** Lists the indexed files and folders of a repository, or how far its purge is. */
@Resource('repositories/:id', 'repositories')
@RequireRole('viewer')
export class ContentsController {
  constructor(
    private readonly repositories: RepositoryStore,
    private readonly executions: ExecutionStore,
    private readonly manifest: ManifestStore,
  ) {}

  @Get('files')
  @ReadsCode('file.list')
  @ApiRoute({
    summary: 'List the files of a repository',
    description: 'Each path with its status: in the index, left out by a rule, or failed.',
    answers: FileListDto,
  })
  async listFiles(
    @IdParam('repository') repositoryId: string,
    @Query({ schema: FileQueryDto }) query: Given<typeof FileQueryDto>,
  ) {
    const { search: pathPart, ...filter } = query;
    await this.assertExists(repositoryId);
    const { items, total } = await this.manifest.listFiles(repositoryId, { ...filter, pathPart }, query);
    return { items: items.map((entry) => ({ ...entry, status: fileStatusOf(entry) })), total };
  }

  @Get('tree')
  @ReadsCode('folder.list')
  @ApiRoute({ summary: 'List the folders below a folder', answers: FolderListDto })
  async listFolders(
    @IdParam('repository') repositoryId: string,
    @Query({ schema: TreeQueryDto }) query: Given<typeof TreeQueryDto>,
  ) {
    await this.assertExists(repositoryId);
    const folder = (query.path ?? '').replace(/^\/+|\/+$/g, '');
    const children = await this.manifest.listFolder(repositoryId, folder, query);
    if (children) return children;
    // A repository that never ran has no folders yet, not even its root.
    if (folder === '') return { items: [], total: 0 };
    const message = `The index knows no folder "${folder}" in this repository. The tree without path lists what it knows.`;
    throw new RepotideError('not_found', 'folder_not_found', message);
  }

  @Get('purge')
  @ApiRoute({
    summary: 'Show how far the removal of a deleted repository is',
    description: 'A repository that is not deleted has none: 404 `purge_not_found`.',
    answers: PurgeDto,
  })
  async getPurge(@IdParam('repository') repositoryId: string) {
    const found = await this.repositories.findIncludingDeleted(repositoryId);
    const { deletedAt, purgedAt } = existing(found, 'repository', repositoryId);
    if (deletedAt === null) {
      const message = `Repository ${repositoryId} is not deleted, so it has no purge.`;
      throw new RepotideError('not_found', 'purge_not_found', message);
    }
    const { items } = await this.executions.list({ repositoryId }, { limit: 1, offset: 0 });
    // After the deletion, only a purge can be queued for the repository.
    const run = items[0]?.handler === 'purge' ? items[0] : null;
    const status = purgedAt ? 'purged' : run?.status === 'running' ? 'running' : 'waiting';
    const { id: executionId = null, chunksDeleted = 0 } = run ?? {};
    return { repositoryId, status, deletedAt, purgedAt, executionId, chunksDeleted } as const;
  }

  private async assertExists(repositoryId: string): Promise<void> {
    existing(await this.repositories.find(repositoryId), 'repository', repositoryId);
  }
}
