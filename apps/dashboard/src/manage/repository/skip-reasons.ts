/** Why a file is not indexed, and what changes that, in plain words. */
const REASONS: Readonly<Record<string, string>> = {
  excluded: 'A glob of “Leave out” in the settings matches it. Change the glob to index it.',
  not_included: 'No glob of “Only files” in the settings matches it. Add one to index it.',
  ignored: 'A .repotideignore file leaves it out. Change that file in the repository.',
  generated: 'It is marked as generated, by its name, its content or .gitattributes.',
  vendored: 'It is code of others: its folder is one for vendored code, or .gitattributes says so.',
  marked_binary: 'A .gitattributes file marks it as binary.',
  secret: 'It is a file of secrets, such as a key. It is never indexed.',
  submodule: 'It is a submodule: register its repository by itself.',
  symlink: 'It is a link to another file, which is indexed by itself.',
  empty: 'It has no content.',
  binary: 'It is not text.',
  too_large: 'It is larger than “Largest file” in the settings. Raise the limit to index it.',
  lfs_pointer: 'Its content is in Git LFS.',
  minified: 'Its lines are too long for people to read, such as minified code.',
  too_costly: 'It took too long to read as text.',
  unsupported_encoding: 'Its text has an encoding that is not supported. UTF-8 is.',
};

export function explainSkip(reason: string | null): string {
  return REASONS[reason ?? ''] ?? '';
}
