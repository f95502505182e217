import { type RuleWarning } from '@core/domain';
import { pathBytesAsText } from './bytes-as-text.js';
import { RulesByFolder } from './git-pattern.js';
import { RULE_LIMITS, type RuleLine } from './rule-file.js';

/** `true`: set, `false`: unset (`-name`), null: unspecified (`!name`), text: `name=text`. */
type AttributeValue = boolean | string | null;
type States = readonly (readonly [name: string, value: AttributeValue])[];

/** The value of one attribute of a path, and the rule that set it. */
export interface AttributeVerdict {
  value: AttributeValue;
  rule: string;
}

/** Git's built-in macro. */
const BINARY: States = [
  ['diff', false],
  ['merge', false],
  ['text', false],
];
const MACRO = '[attr]';
const NAME = /^[A-Za-z0-9_.][A-Za-z0-9_.-]*$/;

/** Attributes of paths from the `.gitattributes` files of a tree. */
export class GitAttributes {
  readonly warnings: RuleWarning[] = [];
  private readonly rules = new RulesByFolder<{ states: States; rule: string }>();
  private readonly macros = new Map<string, States>([['binary', BINARY]]);

  /** @param wanted the attributes that will be read; rules for other ones are dropped. */
  constructor(
    lines: readonly RuleLine[],
    private readonly wanted: readonly string[],
  ) {
    const parsed = lines.flatMap((line) => parseLine(line.text).map((rule) => ({ ...line, ...rule })));
    for (const line of parsed) if (line.isMacro) this.define(line);
    const relevant = this.relevantNames();
    const onlyRelevant = (states: States) => states.filter(([name]) => relevant.has(name));
    for (const [name, states] of this.macros) this.macros.set(name, onlyRelevant(states));
    for (const { pattern, isMacro, folder, states, rule } of parsed) {
      const kept = onlyRelevant(states);
      // A negated pattern has no meaning here, and the rule of a folder is not one of its files.
      if (isMacro || kept.length === 0 || /^!|\/$/.test(pattern)) continue;
      this.rules.add(folder, pattern, { states: kept, rule });
    }
  }

  /** The wanted attributes that a rule sets. Like git: from the last rule to the first, expanding macros that are set. */
  verdictsOn(path: string): ReadonlyMap<string, AttributeVerdict> {
    const found = new Map<string, AttributeVerdict>();
    const fill = (states: States, rule: string): void => {
      for (let index = states.length - 1; index >= 0; index--) {
        const [name, value] = states[index]!;
        if (found.has(name)) continue;
        found.set(name, { value, rule });
        if (value === true) fill(this.macros.get(name) ?? [], rule);
      }
    };
    for (const { states, rule } of this.rules.matching(pathBytesAsText(path))) {
      fill(states, rule);
      if (this.wanted.every((name) => found.has(name))) break;
    }
    return found;
  }

  /** Git reads macros only from the root's file; the last definition of a name counts, also for rules above it. */
  private define({ pattern, folder, states, path, line }: RuleLine & ParsedLine): void {
    const name = pattern.slice(MACRO.length);
    if (folder !== '' || !NAME.test(name)) return;
    if (this.macros.has(name) || this.macros.size < RULE_LIMITS.macros) {
      this.macros.set(name, states);
      return;
    }
    const message = `this macro has no effect: a tree may have ${RULE_LIMITS.macros}`;
    this.warnings.push({ code: 'rule_ignored', path, line, message });
  }

  /** The wanted attributes, and the macros that set one of them. */
  private relevantNames(): ReadonlySet<string> {
    const relevant = new Set(this.wanted);
    for (let before = -1; before < relevant.size;) {
      before = relevant.size;
      for (const [macro, states] of this.macros) {
        if (states.some(([name]) => relevant.has(name))) relevant.add(macro);
      }
    }
    return relevant;
  }
}

interface ParsedLine {
  pattern: string;
  /** `[attr]name` in place of a pattern. */
  isMacro: boolean;
  states: States;
}

/** Empty for a line that git refuses. */
function parseLine(line: string): ParsedLine[] {
  const trimmed = line.replace(/^[ \t\r]+/, '');
  const quoted = /^"(?:[^"\\]|\\(?:[abfnrtv"\\]|[0-3][0-7]{2}))*"/.exec(trimmed)?.[0];
  // Git takes a quoted pattern with an unknown escape for one without quotes.
  const written = quoted ?? /^[^ \t\r]*/.exec(trimmed)?.[0] ?? '';
  const pattern = quoted === undefined ? written : unquote(quoted.slice(1, -1));
  const words = trimmed.slice(written.length).split(/[ \t\r]+/);
  const states = words.filter((word) => word !== '').map(stateOf);
  if (states.some(([name]) => !NAME.test(name))) return [];
  const isMacro = pattern.startsWith(MACRO) && pattern.length > MACRO.length;
  return [{ pattern, isMacro, states: lastOfEach(states) }];
}

function lastOfEach(states: States): States {
  const seen = new Set<string>();
  const last = states.toReversed().filter(([name]) => !seen.has(name) && seen.add(name));
  return last.reverse();
}

function stateOf(word: string): readonly [string, AttributeValue] {
  const equals = word.indexOf('=');
  const name = equals < 0 ? word : word.slice(0, equals);
  if (name.startsWith('-')) return [name.slice(1), false];
  if (name.startsWith('!')) return [name.slice(1), null];
  return [name, equals < 0 ? true : word.slice(equals + 1)];
}

const ESCAPES = new Map([...'ntrabfv'].map((letter, index) => [letter, '\n\t\r\x07\b\f\v'[index]!]));

/** A pattern with spaces is quoted, with escapes as in C. */
function unquote(text: string): string {
  return text.replace(/\\(?:([0-3][0-7]{2})|(.))/g, (_, octal: string | undefined, letter: string) =>
    octal === undefined ? (ESCAPES.get(letter) ?? letter) : String.fromCharCode(Number.parseInt(octal, 8)),
  );
}
