import { rules as libraryRules } from '@secretlint/secretlint-rule-preset-recommend';
import { type SecretFinding } from './finding.js';

/** Of the installed package; a test holds it to package.json, so that an update scans again what is indexed. */
export const LIBRARY_VERSION = '11.7.1';

/**
 * Not run: GCP reads files of this machine and takes a whole document (its keys are found as private keys); those of
 * URLs take the whole URL, where a rule of ours takes the password; and comments in a repository cannot switch the
 * scan off.
 */
const LEFT_OUT = ['gcp', 'basicauth', 'database-connection-string', 'filter-comments'];
const PACKAGE = '@secretlint/secretlint-rule-';
/** An account's number is no secret. */
const NO_SECRETS = ['AWSAccountID'];

type LibraryRule = (typeof libraryRules)[number];
type Context = Parameters<LibraryRule['create']>[0];
type Source = Parameters<NonNullable<ReturnType<LibraryRule['create']>['file']>>[0];

interface RunningRule {
  name: string;
  file: (source: Source) => unknown;
}

/**
 * The rules of Secretlint, called directly: its own engine keeps a record of every call for as long as the process
 * lives. One scan at a time, as rules report to where the scan looks.
 */
export class LibraryRules {
  private found: SecretFinding[] = [];
  private readonly rules: readonly RunningRule[];

  constructor() {
    this.rules = libraryRules
      .filter(({ meta }) => !LEFT_OUT.includes(meta.id.replace(PACKAGE, '')))
      .map((rule) => this.start(rule));
  }

  find(text: string): SecretFinding[] {
    this.found = [];
    const source = sourceOf(text);
    for (const { file } of this.rules) file(source);
    return this.found;
  }

  private start(rule: LibraryRule): RunningRule {
    const name = rule.meta.id.replace(PACKAGE, '');
    const context: Context = {
      sharedOptions: {},
      // Its messages would hold what was found.
      createTranslator: () => (messageId) => ({ message: '', messageId: String(messageId), data: undefined }),
      report: ({ message, range: [start, end] }) => {
        if (!NO_SECRETS.includes(message.messageId)) this.found.push({ rule: name, start, end });
      },
      ignore: () => undefined,
    };
    const handler = rule.create(context, {});
    return { name, file: (source) => handler.file?.(source) };
  }
}

/** What rules ask of a source: its text. Without a path they do not depend on one. */
function sourceOf(content: string): Source {
  const noLines = (): never => {
    throw new Error('Rules of this preset ask for no lines.');
  };
  return {
    content,
    hasBOM: false,
    filePath: undefined,
    physicalFilePath: undefined,
    ext: '',
    contentType: 'text',
    getFilePath: () => undefined,
    getPhysicalFilePath: () => undefined,
    locationToRange: noLines,
    rangeToLocation: noLines,
    positionToIndex: noLines,
    indexToPosition: noLines,
  };
}
