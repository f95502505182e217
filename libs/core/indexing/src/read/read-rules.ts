import { compileFileRules, isRuleFile, RULE_FILE_NAMES, type FileRules, type RuleFile } from '@core/chunking';
import { RepotideError, type TreeEntry } from '@core/domain';
import { type Listing, type TreeSize } from '../plan/plan.js';
import { type SyncRun } from '../run/sync-run.js';
import { readFiles, type FetchedFile } from './read-files.js';
import { WantedFiles } from './wanted-files.js';

/** There are few rule files, so an archive never saves requests. */
const NEVER_BY_ARCHIVE: TreeSize = { files: Infinity, averageBytes: 1, origin: 'none' };

/**
 * The rules that decide which files of a commit are indexed: the repository's settings and the tree's rule files, which
 * become part of the run's fingerprint.
 * @throws when a rule file cannot be read: without it, files might be indexed that their owner excludes.
 */
export async function readRules(run: SyncRun, commit: string, listing: Listing): Promise<FileRules> {
  const entries = await ruleFileEntries(run, listing);
  const ruleFiles = entries.length === 0 ? [] : await readRuleFiles(run, commit, entries);
  run.setRuleFiles(ruleFiles);
  const skipSecretFiles = run.request.secretsPolicy !== 'off';
  return compileFileRules(run.repository, { ruleFiles, skipSecretFiles });
}

async function ruleFileEntries(run: SyncRun, { entries, changedPaths }: Listing): Promise<TreeEntry[]> {
  const listed = [...entries.values()].filter(isRuleFile);
  if (changedPaths === null) return listed;
  const known = await run.ports.manifest.findNamed(run.repository.id, RULE_FILE_NAMES);
  const unchanged = known.filter((row) => isRuleFile(row) && !changedPaths.has(row.path));
  return [...listed, ...unchanged];
}

async function readRuleFiles(
  run: SyncRun,
  commit: string,
  entries: readonly TreeEntry[],
): Promise<RuleFile[]> {
  run.report('downloading', 'Reading the rule files');
  const wanted = new WantedFiles(entries.map((entry) => ({ entry, former: null })));
  const reading = {
    ...{ run, commit, wanted, tree: NEVER_BY_ARCHIVE, signal: run.signal },
    // All rule files are needed.
    isOver: () => false,
  };
  const read: FetchedFile[] = [];
  for await (const fetched of readFiles(reading)) read.push(fetched);
  return read.map(({ file, content }) => {
    const { path, blobSha } = file.entry;
    if (content.kind === 'failed') throw content.error;
    if (content.kind === 'too_large') throw ruleFileTooLarge(run, path);
    return { path, blobSha, text: new TextDecoder().decode(content.bytes) };
  });
}

function ruleFileTooLarge({ repository }: SyncRun, path: string): RepotideError {
  const { maxFileBytes } = repository;
  return new RepotideError(
    'invalid',
    'rule_file_too_large',
    `${path} decides which files are indexed and is larger than ${maxFileBytes} bytes. Shorten it or raise max_file_bytes.`,
    { details: { path, max_file_bytes: maxFileBytes } },
  );
}
