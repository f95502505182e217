/** A password by its place: after the option of a command, after a directive, in a column. */
export interface Place {
  /** Every match contains one of them; texts without are not searched. */
  hints: readonly string[];
  /** Global, with the group `secret`. Every run is bounded. */
  pattern: RegExp;
}
