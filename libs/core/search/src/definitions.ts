/** Longer lines are data or minified code. */
const LONGEST_LINE = 300;
const COMMENT = /^\s*(?:\*|\/\/|#(?!\s*define)|--|<!--)/;
const NAME = '([A-Za-z_$][\\w$]*)';

/** A word that names what follows, in the languages that have it: `class Lease`, `func (s *Server) Close(`. */
const KEYWORD = new RegExp(
  '(?:^\\s*#\\s?define|\\b(?:class|interface|enum|struct|trait|type|namespace|module|package|function\\*?|fn|func|def|' +
    'defp|sub|proc|object|record|protocol|union|macro|impl|typedef))\\s+' +
    `(?:\\([^()]{0,80}\\)\\s*)?(?:self\\.)?${NAME}`,
);
/** A value at the outermost level; deeper ones are variables of a function, and what is required is defined elsewhere. */
const CONSTANT = new RegExp(
  `^(?:(?:export|public|static|declare|pub)\\s+)*(?:const|let|var|val|final)\\s+(?:mut\\s+)?${NAME}(?!.*=\\s*(?:await\\s+)?(?:require|import)\\s*\\()`,
);
/** `close = function (`, `close: async () =>`, `const close = (a) =>`, `close = class`. */
const ASSIGNED = new RegExp(
  `${NAME}['"]?\\s*[:=]\\s*(?:async\\s+)?(?:function\\b|class\\b|[\\w$]{1,64}\\s*=>|\\([^()]{0,150}\\)\\s*(?::[^=]{0,80})?=>)`,
);
/** Every match of it contains one of them; it is slow, and most lines contain none. */
const ASSIGNED_HINT = /=>|function|class/;
/** `exports.close = function`, `Server.prototype.close =`; but `exports.close = server.close;` only repeats a name. */
const EXPORTED = new RegExp(
  `\\b(?:exports|prototype)\\.${NAME}\\s*=(?!\\s*(?:void\\b|[A-Za-z_$][\\w$.]*\\s*(?:;|=|$)))`,
);
const WITHOUT_ASSIGNED = [KEYWORD, CONSTANT, EXPORTED];
const WITH_ASSIGNED = [...WITHOUT_ASSIGNED, ASSIGNED];
/** A method or a function with a type before its name. */
const METHOD = new RegExp(
  `^\\s*(?:[\\w:<>*&,.\\[\\]?@]{1,64}\\s+){0,6}[*&#]?${NAME}\\s*(?:<[^<>]{0,80}>)?\\([^;]*$`,
);
const SIGNATURE = new RegExp(
  `^\\s*(?:(?:public|private|protected|static|abstract|readonly|async|get|set)\\s+)*${NAME}\\??(?:<[^<>]{0,80}>)?\\([^=]{0,200}\\)\\s*:[^=]{1,120};\\s*$`,
);
/** Words before a bracket that are no names, or begin a statement that calls something. */
const NOT_NAMES: ReadonlySet<string> = new Set(
  (
    'if else for foreach while do switch case catch try return throw new await yield function typeof instanceof in of ' +
    'not and or with super this self print require import from match when unless elif delete void default constructor ' +
    'describe it test expect extends implements is as that which has returns'
  ).split(' '),
);

/** The names that a text defines, in the order of their lines: functions, classes, types, constants. */
export function definedNames(text: string): string[] {
  const names: string[] = [];
  for (const line of text.split('\n')) {
    const name = definedName(line);
    if (name !== null) names.push(name);
  }
  return names;
}

/** The name that a line defines; null: none. */
export function definedName(line: string): string | null {
  if (line.length > LONGEST_LINE || COMMENT.test(line)) return null;
  const patterns = ASSIGNED_HINT.test(line) ? WITH_ASSIGNED : WITHOUT_ASSIGNED;
  for (const pattern of patterns) {
    const name = pattern.exec(line)?.[1];
    if (name !== undefined && !NOT_NAMES.has(name)) return name;
  }
  // A call ends with a semicolon or a comma, a definition with its body or its parameters.
  const end = line.trimEnd().at(-1) ?? ' ';
  if (end === ';') return named(SIGNATURE.exec(line)?.[1]);
  if (!'{(:)'.includes(end)) return null;
  const first = /^\s*([\w$]+)/.exec(line)?.[1];
  if (first === undefined || NOT_NAMES.has(first)) return null;
  const found = METHOD.exec(line);
  if (found === null) return null;
  // A match without a body or a type is a call.
  const isDefinition = /\)[^()]*\{\s*$|\)\s*:\s*$/.test(line) || /^\s*[\w:<>*&]+\s+[\w*&:]/.test(line);
  return isDefinition && !/=>|=\s*\S|\bfunction\b/.test(line) ? named(found[1]) : null;
}

function named(name: string | undefined): string | null {
  return name === undefined || NOT_NAMES.has(name) ? null : name;
}
