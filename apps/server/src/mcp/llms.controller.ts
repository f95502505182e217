import { Controller, Get, Header, Inject } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { type Config } from '@platform/config';
import { OpenRoute } from '../access/role.js';
import { CONFIG } from '../injection-tokens.js';

const DOCS = `- [API document](/docs-json): OpenAPI 3, JSON
- [API reference](/docs): the same for people
`;

/** Describes the service to models that have no MCP connection; see llmstxt.org. It names nothing of an installation. */
const textWith = (docs: string): string => `# Repotide

> Repotide keeps a search index of source code in sync with the repositories of an organisation. It finds code, docs and
> configuration by meaning and by name, with path, lines and commit.

Everything below /api and /mcp needs the header "Authorization: Bearer <token>". The role viewer suffices to search.

## For agents

- [Model Context Protocol](/mcp): streamable HTTP. Tools: search_code, find_definition, read_file, list_repositories,
  repository_status.

## For programs

${docs}- Search: POST /api/v1/search with {"query": "where is the lease renewed"}
- Repositories: GET /api/v1/repositories

## For people

- [Dashboard](/): search, repositories and runs
`;

@ApiExcludeController()
@Controller('llms.txt')
export class LlmsController {
  constructor(@Inject(CONFIG) private readonly config: Pick<Config, 'http'>) {}

  @Get()
  @OpenRoute()
  @Header('Content-Type', 'text/plain; charset=utf-8')
  describeService(): string {
    return textWith(this.config.http.showsDocs ? DOCS : '');
  }
}
