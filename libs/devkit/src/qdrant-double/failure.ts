/** An error answer in the shape that Qdrant gives it. */
export class QdrantFailure extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

/** The double was asked for something that it does not imitate: extend it rather than trust its answer. */
export class NotImitated extends Error {}
