import { createChunker, readText, screenText } from '@core/chunking';
import { type ContentJob, type PreparedContent } from '@core/domain';
import { termsOf } from '@core/search';

/** From the bytes of a file to its chunks, or to the reason why it has none. */
export function prepareContent({ path, bytes, ...job }: ContentJob): PreparedContent {
  const prepared: PreparedContent = { chunks: [], skip: null, secretsFound: 0, secretDetail: null };
  const read = readText(bytes, { path, maxFileBytes: job.maxFileBytes });
  if (read.kind === 'skipped') return { ...prepared, skip: { reason: read.reason, detail: read.detail } };
  const { text, secretsFound, detail } = screenText(read.text, job.secretsPolicy, read.fileLines);
  const found = { ...prepared, secretsFound, secretDetail: detail };
  if (job.secretsPolicy === 'skip' && secretsFound > 0) {
    return { ...found, skip: { reason: 'secret', detail: detail ?? '' } };
  }
  const chunks = createChunker(job).split(text, path, read.fileLines);
  if (chunks.length === 0) return { ...found, skip: { reason: 'empty', detail: 'only whitespace' } };
  return {
    ...found,
    chunks: chunks.map((chunk) => ({ ...chunk, terms: termsOf({ path, text: chunk.text }) })),
  };
}
