import { Readable, Transform, type TransformCallback } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { type ArchiveEntry, RepotideError, throwIfAborted } from '@core/domain';
import { extract } from 'tar-stream';
import { type GitLabHttp } from './gitlab-http.js';

/** A tar archive ends with two empty blocks; GitLab cuts one short without a word when its git fails. */
const END_OF_ARCHIVE_BYTES = 1024;

/**
 * Regular files of a commit's archive, one after the other as they arrive. Nothing is kept: reading waits for the
 * caller, and an entry that is not read is dropped.
 */
export async function* archiveEntries(
  http: GitLabHttp,
  projectId: number,
  commit: string,
  signal: AbortSignal,
): AsyncGenerator<ArchiveEntry> {
  // LFS objects are other files than the blobs of the tree, and may be huge.
  const query = new URLSearchParams({ sha: commit, include_lfs_blobs: 'false' }).toString();
  const endpoint = `projects/${projectId}/repository/archive.tar.gz?${query}`;
  // GitLab limits the archives of each project by itself.
  const chunks = http.streamArchive(endpoint, String(projectId), signal);
  const entries = extract();
  const unpacked = pipeline(Readable.from(chunks), createGunzip(), new EndOfArchive(), entries);
  // Looked at below; until then nobody listens.
  unpacked.catch(() => undefined);
  try {
    for await (const entry of entries) {
      const { type, size } = entry.header;
      const bytes = bytesOf(entry as AsyncIterable<Uint8Array>, signal);
      if (type === 'file') yield { sizeBytes: size, bytes };
      entry.resume();
    }
    await unpacked;
  } catch (thrown) {
    throw failureOfArchive(thrown, signal);
  } finally {
    entries.destroy();
    await unpacked.catch(() => undefined);
  }
}

/** An archive that breaks inside a file breaks for whoever reads the file. */
async function* bytesOf(entry: AsyncIterable<Uint8Array>, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  try {
    yield* entry;
  } catch (thrown) {
    throw failureOfArchive(thrown, signal);
  }
}

/** Of a failed request as it is; everything else came from bytes that are no gzip or no tar. */
function failureOfArchive(thrown: unknown, signal: AbortSignal): RepotideError {
  throwIfAborted(signal);
  return thrown instanceof RepotideError ? thrown : truncated(thrown);
}

/** Passes everything on and fails at the end unless that was the end of a tar archive. */
class EndOfArchive extends Transform {
  private trailingZeros = 0;

  override _transform(chunk: Buffer, _encoding: string, done: TransformCallback): void {
    let zeros = 0;
    const most = Math.min(chunk.length, END_OF_ARCHIVE_BYTES);
    while (zeros < most && chunk[chunk.length - 1 - zeros] === 0) zeros += 1;
    this.trailingZeros = zeros === chunk.length ? this.trailingZeros + zeros : zeros;
    done(null, chunk);
  }

  override _flush(done: TransformCallback): void {
    done(this.trailingZeros < END_OF_ARCHIVE_BYTES ? truncated(null) : null);
  }
}

/** Also of bytes that are no gzip or no tar: a proxy's page, a body that broke. */
function truncated(cause: unknown): RepotideError {
  const message = 'The archive broke off before its end. The files that are missing are read in another way.';
  return new RepotideError('temporary', 'archive_truncated', message, cause === null ? {} : { cause });
}
