import { type TreeEntry } from '@core/domain';

/** What a commit's tree holds, as far as it may differ from the manifest. */
export interface Listing {
  entries: Map<string, TreeEntry>;
  /** Null: `entries` is the whole tree. Otherwise all other paths are proven to be as the manifest says. */
  changedPaths: ReadonlySet<string> | null;
}
