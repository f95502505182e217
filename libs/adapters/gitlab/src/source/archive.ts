import { Readable, Transform, type TransformCallback } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { type ArchiveEntry, RepotideError, throwIfAborted } from '@core/domain';
import { extract } from 'tar-stream';
import { type ProjectAccess } from '../http/gitlab-http.js';

/** A tar archive ends with two empty blocks. GitLab truncates an archive without any error when its git fails. */
const END_OF_ARCHIVE_BYTES = 1024;

/**
 * Streams the regular files of a commit's archive. Buffers nothing: reading waits for the caller, and an entry that the
 * caller does not read is dropped.
 */
export async function* archiveEntries(
  { http, projectId, signal }: ProjectAccess,
  commit: string,
): AsyncGenerator<ArchiveEntry> {
  // LFS objects are not the blobs of the tree, and may be huge.
  const query = new URLSearchParams({ sha: commit, include_lfs_blobs: 'false' }).toString();
  const endpoint = `projects/${projectId}/repository/archive.tar.gz?${query}`;
  // GitLab limits archives per project.
  const chunks = http.streamArchive(endpoint, String(projectId), signal);
  const entries = extract();
  const unpacked = pipeline(Readable.from(chunks), createGunzip(), new EndOfArchiveCheck(), entries);
  // Awaited below; until then a rejection must not count as unhandled.
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

/** Translates the failure of an archive that breaks inside a file, which the reader of the file sees first. */
async function* bytesOf(entry: AsyncIterable<Uint8Array>, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  try {
    yield* entry;
  } catch (thrown) {
    throw failureOfArchive(thrown, signal);
  }
}

/** A failed request is already translated. Any other error means that the bytes are not a gzip or tar stream. */
function failureOfArchive(thrown: unknown, signal: AbortSignal): RepotideError {
  throwIfAborted(signal);
  return thrown instanceof RepotideError ? thrown : truncated(thrown);
}

/** Passes all bytes on, and fails at the end unless they end like a tar archive. */
class EndOfArchiveCheck extends Transform {
  private trailingZeros = 0;

  override _transform(chunk: Buffer, _encoding: string, done: TransformCallback): void {
    let zeros = 0;
    const most = Math.min(chunk.length, END_OF_ARCHIVE_BYTES);
    while (zeros < most && chunk[chunk.length - 1 - zeros] === 0) zeros += 1;
    this.trailingZeros = zeros === chunk.length ? this.trailingZeros + zeros : zeros;
    done(null, chunk);
  }

  override _flush(done: TransformCallback): void {
    done(this.trailingZeros < END_OF_ARCHIVE_BYTES ? truncated() : null);
  }
}

function truncated(cause?: unknown): RepotideError {
  const message = 'The archive is incomplete. The missing files are read one by one.';
  return new RepotideError('temporary', 'archive_truncated', message, { cause });
}
