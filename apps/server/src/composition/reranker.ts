import { HttpReranker } from '@adapters/reranking';
import { type Logger, type Reranker, type Tracer } from '@core/domain';
import { type Config } from '@platform/config';
import { tracedReranker } from './tracing.js';

/** Null without RERANK_URL. Sends no request. */
export function openReranker({ reranking }: Config, logger: Logger, tracer: Tracer): Reranker | null {
  return reranking ? tracedReranker(new HttpReranker({ ...reranking, logger }), reranking.url, tracer) : null;
}
