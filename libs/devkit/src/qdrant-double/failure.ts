/** An error answer in Qdrant's format. */
export class QdrantFailure extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly headers: Record<string, string> = {},
  ) {
    super(message);
  }
}

/** A request uses a feature that the double does not support: extend the double instead of trusting its answer. */
export class UnsupportedFeature extends Error {}
