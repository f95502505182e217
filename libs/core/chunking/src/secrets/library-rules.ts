import { rules as libraryRules } from '@secretlint/secretlint-rule-preset-recommend';
import { type SecretFinding } from './finding.js';

/** Version of the installed package, checked by a test: an update then scans indexed files again. */
export const LIBRARY_VERSION = '11.7.1';

/**
 * Not used: `gcp` reads local files and reports a whole document (its keys are found as private keys); the URL rules
 * report the whole URL instead of the password; `npm` takes names such as npm_package_config_schema_remote_location for
 * tokens; `filter-comments` lets a repository switch the scan off.
 */
const UNUSED_RULES = ['gcp', 'basicauth', 'database-connection-string', 'npm', 'filter-comments'];
const PACKAGE = '@secretlint/secretlint-rule-';
/** Messages about values that are not secret. */
const NOT_SECRET = ['AWSAccountID'];

type LibraryRule = (typeof libraryRules)[number];
type Context = Parameters<LibraryRule['create']>[0];
type Source = Parameters<NonNullable<ReturnType<LibraryRule['create']>['file']>>[0];

interface RunningRule {
  name: string;
  file: (source: Source) => unknown;
}

/**
 * The rules of Secretlint, called directly, because its engine keeps a record of every call until the process ends. Only
 * one scan at a time: all rules report into the same list.
 */
export class LibraryRules {
  private found: SecretFinding[] = [];
  private readonly rules: readonly RunningRule[];

  constructor() {
    this.rules = libraryRules
      .filter(({ meta }) => !UNUSED_RULES.includes(meta.id.replace(PACKAGE, '')))
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
      // Without messages, which would quote the secret.
      createTranslator: () => (messageId) => ({ message: '', messageId: String(messageId), data: undefined }),
      report: ({ message, range: [start, end] }) => {
        if (!NOT_SECRET.includes(message.messageId)) this.found.push({ rule: name, start, end });
      },
      ignore: () => undefined,
    };
    const handler = rule.create(context, {});
    return { name, file: (source) => handler.file?.(source) };
  }
}

/** A source with nothing but its text, so that findings do not depend on a path. */
function sourceOf(content: string): Source {
  const noLines = (): never => {
    throw new Error('The rules of this preset need no lines.');
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
