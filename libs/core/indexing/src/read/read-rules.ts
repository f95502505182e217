import {
  chooseRuleFiles,
  compileFileRules,
  isRuleFile,
  RULE_FILE_NAMES,
  RULE_LIMITS,
  type FileRules,
  type RuleFile,
} from '@core/chunking';
import { type TreeEntry } from '@core/domain';
import { isListed, type Listing, type TreeSize } from '../plan/plan.js';
import { type SyncRun } from '../run/sync-run.js';
import { readFiles, type FetchedFile } from './read-files.js';
import { WantedFiles } from './wanted-files.js';

/** There are few rule files, so an archive never saves requests. */
const NEVER_BY_ARCHIVE: TreeSize = { files: Infinity, averageBytes: 1, origin: 'none' };

/** More would be stored with each run and shown by nobody. */
const MAX_WARNINGS = 50;

/**
 * The rules that decide which files of a commit are indexed: the repository's settings and the tree's rule files, which
 * become part of the run's fingerprint. A rule that cannot be used is a warning of the repository.
 * @throws when a rule file cannot be read: without it, files might be indexed that their owner excludes.
 */
export async function readRules(run: SyncRun, listing: Listing): Promise<FileRules> {
  const { read, warnings } = chooseRuleFiles(await ruleFileEntries(run, listing));
  const ruleFiles = read.length === 0 ? [] : await readRuleFiles(run, read);
  const skipSecretFiles = run.request.secretsPolicy !== 'off';
  const rules = compileFileRules(run.repository, { ruleFiles, skipSecretFiles });
  const found = [...warnings, ...rules.tree.warnings, ...listing.warnings];
  run.setRuleFiles(ruleFiles, found.slice(0, MAX_WARNINGS));
  return rules;
}

async function ruleFileEntries(run: SyncRun, listing: Listing): Promise<TreeEntry[]> {
  const listed = [...listing.entries.values()].filter(isRuleFile);
  if (listing.scope === null) return listed;
  const known = await run.ports.manifest.findNamed(run.repository.id, RULE_FILE_NAMES);
  const unchanged = known.filter((row) => isRuleFile(row) && !isListed(listing, row.path));
  return [...listed, ...unchanged];
}

async function readRuleFiles(run: SyncRun, entries: readonly TreeEntry[]): Promise<RuleFile[]> {
  run.report('downloading', 'Reading the rule files');
  const wanted = await WantedFiles.of(entries.map((entry) => ({ entry, former: null })));
  const reading = {
    ...{ run, wanted, tree: NEVER_BY_ARCHIVE, signal: run.signal },
    maxBytes: RULE_LIMITS.fileBytes,
    // All rule files are needed.
    isOver: () => false,
  };
  const read: FetchedFile[] = [];
  for await (const fetched of readFiles(reading)) read.push(fetched);
  return read.map(({ file, content }) => {
    const { path, blobSha } = file.entry;
    if (content.kind === 'failed') throw content.error;
    const text = content.kind === 'bytes' ? new TextDecoder().decode(content.bytes) : null;
    return { path, blobSha, text };
  });
}
