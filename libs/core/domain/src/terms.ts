/** Weights of the terms of a text or a query for the lexical lane; a term is a 32-bit hash. Ids ascend, without repetition. */
export interface Terms {
  ids: Uint32Array;
  weights: Float32Array;
}
