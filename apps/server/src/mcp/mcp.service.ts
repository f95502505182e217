import { Injectable } from '@nestjs/common';
import { type McpServer } from '@modelcontextprotocol/server';
import { packageVersion } from '../cluster/version.js';
import { ReadLinesService } from '../reading/read-lines.service.js';
import { RepositoryStatusService } from '../reading/repository-status.service.js';
import { ReadableRepositories } from '../reading/readable-repositories.js';
import { AnswersService } from '../search/answers/answers.service.js';
import { listRepositories, readFile, repositoryStatus } from './repository-tools.js';
import { findDefinition, searchCode } from './search-tools.js';
import { answerOf, type Tool, type ToolCaller } from './tool.js';

const INSTRUCTIONS =
  'Repotide searches an index of the source code of this organisation that is kept in sync with its repositories. ' +
  'Start with search_code; read more with read_file; use find_definition for the place where a name is defined. Name ' +
  'the file, its lines and the commit when you rely on an answer. repository_status says how current an index is.';

/** The Model Context Protocol over streamable HTTP, without sessions, so that any pod answers any request. */
@Injectable()
export class McpService {
  private readonly tools: readonly Tool[];

  constructor(
    readable: ReadableRepositories,
    answers: AnswersService,
    files: ReadLinesService,
    statuses: RepositoryStatusService,
  ) {
    this.tools = [
      searchCode(answers),
      findDefinition(readable, answers),
      readFile(readable, files),
      listRepositories(readable),
      repositoryStatus(readable, statuses),
    ];
  }

  /**
   * @param body the parsed body of the request, which has been read.
   */
  async answer(request: Request, body: unknown, caller: ToolCaller): Promise<Response> {
    // Imported by the first request, because every start of a pod would pay for it.
    const { createMcpHandler, McpServer: Server } = await import('@modelcontextprotocol/server');
    return createMcpHandler(() => this.createServer(Server, caller)).fetch(request, { parsedBody: body });
  }

  private createServer(Server: typeof McpServer, caller: ToolCaller): McpServer {
    const server = new Server(
      { name: 'repotide', title: 'Repotide', version: packageVersion() },
      { instructions: INSTRUCTIONS },
    );
    for (const definition of this.tools) {
      const { name, title, description, input } = definition;
      const annotations = { readOnlyHint: true, openWorldHint: false };
      server.registerTool(name, { title, description, inputSchema: input, annotations }, (args, context) =>
        answerOf(definition, args, caller, context.mcpReq.signal),
      );
    }
    return server;
  }
}
