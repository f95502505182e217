/** A model that reads a query and a text together, and says how well the text answers the query. */
export abstract class Reranker {
  /**
   * One score per text, in order; higher is better. Scores are comparable within one call only. Sends one request, without
   * retries, because a person waits; safe to repeat.
   * @throws temporary `reranker_unavailable` or `reranker_answer_invalid`, rate_limited `reranker_rate_limited`,
   *   unauthorized `reranker_key_rejected`, invalid `reranker_request_refused`; each names the setting to change.
   */
  abstract rank(query: string, texts: readonly string[], signal: AbortSignal): Promise<number[]>;
}
