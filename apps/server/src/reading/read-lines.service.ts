import { Inject, Injectable } from '@nestjs/common';
import {
  ContentPreparer,
  fileStatusOf,
  type ManifestEntry,
  ManifestStore,
  RepotideError,
  type Repository,
  SourceFactory,
} from '@core/domain';
import { blobIdOf } from '@core/indexing';
import { type Config } from '@platform/config';
import { CONFIG } from '../injection-tokens.js';
import { nameOf } from './readable-repositories.js';

export interface LinesRequest {
  path: string;
  /** Counted from 1. */
  startLine: number;
  maxLines: number;
  maxCharacters: number;
}

export interface FileLines {
  path: string;
  language: string | null;
  /** The commit that the index equals. */
  commit: string | null;
  startLine: number;
  lines: string[];
  totalLines: number;
  secretsRemoved: number;
}

/** Reads the lines of indexed files from their host, as they were when they were indexed, without their secrets. */
@Injectable()
export class ReadLinesService {
  constructor(
    private readonly manifest: ManifestStore,
    private readonly sources: SourceFactory,
    private readonly contents: ContentPreparer,
    @Inject(CONFIG) private readonly config: Pick<Config, 'secrets'>,
  ) {}

  /**
   * @param repository one that the caller may read.
   * @throws not_found `file_not_found`; conflict `file_not_indexed`; invalid `line_out_of_range`; errors of the source.
   */
  async read(repository: Repository, request: LinesRequest, signal: AbortSignal): Promise<FileLines> {
    const row = await this.rowOf(repository, request.path);
    const { text, firstLine, secretsRemoved } = await this.textOf(repository, row, signal);
    const all = [...Array<string>(firstLine - 1).fill(''), ...text.split('\n')];
    const { startLine } = request;
    if (startLine > all.length) throw outOfRange(row.path, startLine, all.length);
    const { path, language } = row;
    const lines = upTo(all.slice(startLine - 1, startLine - 1 + request.maxLines), request.maxCharacters);
    const commit = repository.lastSyncedCommit;
    return { path, language, commit, startLine, lines, totalLines: all.length, secretsRemoved };
  }

  private async rowOf(repository: Repository, asked: string): Promise<ManifestEntry> {
    const path = asked.replace(/^(\.?\/)+/, '');
    // The path itself sorts before all longer ones.
    const page = { limit: 1, offset: 0, sort: 'path' as const };
    const { items } = await this.manifest.listFiles(repository.id, { pathPrefix: path }, page);
    const row = items.find((entry) => entry.path === path);
    if (row === undefined) throw fileNotFound(repository, path, items[0]?.path);
    if (fileStatusOf(row) !== 'indexed' || row.indexedAt === null) throw notIndexed(row);
    return row;
  }

  private async textOf(repository: Repository, row: ManifestEntry, signal: AbortSignal) {
    const bytes = await this.bytesOf(repository, row, signal);
    // The steps of indexing, in one chunk: the same decoding, and no secret that the index does not show either.
    const { maxFileBytes } = repository;
    const job = { path: row.path, bytes, maxFileBytes, chunkSize: 2 * maxFileBytes, chunkOverlap: 0 };
    const prepared = await this.contents.prepare(
      { ...job, secretsPolicy: this.config.secrets.policy },
      `read:${repository.id}`,
      signal,
    );
    const [chunk] = prepared.chunks;
    if (prepared.skip || !chunk) throw notIndexed({ ...row, skipReason: prepared.skip?.reason ?? 'empty' });
    return { text: chunk.text, firstLine: chunk.startLine, secretsRemoved: prepared.secretsFound };
  }

  private async bytesOf(
    repository: Repository,
    row: ManifestEntry,
    signal: AbortSignal,
  ): Promise<Uint8Array> {
    const { projectId, projectPath, maxFileBytes } = repository;
    const reading = { projectPath, isEverything: false, maxFileBytes };
    const source = await this.sources.open(repository, signal, { isUrgent: true, reading });
    try {
      const content = await source.readBlob(projectId, row.blobSha, maxFileBytes, signal);
      if (content.kind === 'bytes' && blobIdOf(content.bytes, row.blobSha) === row.blobSha)
        return content.bytes;
    } finally {
      await source.close();
    }
    const message = `The host did not answer the content of ${row.path} that was indexed. Sync the repository, and try again.`;
    throw new RepotideError('temporary', 'content_changed', message);
  }
}

/** At least one line, cut if it is longer than the limit. */
function upTo(lines: readonly string[], maxCharacters: number): string[] {
  const kept: string[] = [];
  let left = maxCharacters;
  for (const line of lines) {
    if (kept.length > 0 && line.length + 1 > left) break;
    kept.push(line.slice(0, maxCharacters));
    left -= line.length + 1;
  }
  return kept;
}

function fileNotFound(repository: Repository, path: string, longer: string | undefined): RepotideError {
  const isFolder = longer?.startsWith(`${path}/`);
  const hint = isFolder
    ? `It is a folder; the first file in it is ${longer}.`
    : 'Paths begin at the root of the repository, without a slash; search for a part of its name.';
  const message = `${nameOf(repository)} has no file "${path}" in the index. ${hint}`;
  return new RepotideError('not_found', 'file_not_found', message);
}

function notIndexed({ path, skipReason, skipDetail, lastError }: ManifestEntry): RepotideError {
  const why =
    skipReason === null ? (lastError ?? 'its run has not ended') : `${skipReason}, ${skipDetail ?? ''}`;
  const remedy =
    skipReason === 'secret'
      ? 'Files with secrets are not shown. Read it in the repository itself, if you may.'
      : 'Only indexed files can be read here. Read it in the repository itself.';
  const message = `${path} is not in the index (${why.replace(/, $/, '')}). ${remedy}`;
  return new RepotideError('conflict', 'file_not_indexed', message);
}

function outOfRange(path: string, startLine: number, totalLines: number): RepotideError {
  const message = `${path} has ${totalLines} lines, so it has no line ${startLine}. Start at a line from 1 to ${totalLines}.`;
  return new RepotideError('invalid', 'line_out_of_range', message, {
    details: { field: 'start_line', found: startLine },
  });
}
