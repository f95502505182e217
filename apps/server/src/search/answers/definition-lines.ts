const KEYWORDS =
  'class|interface|enum|struct|trait|type|namespace|module|package|function\\*?|fn|func|def|defp|sub|proc|object|record|' +
  'protocol|union|macro|impl|typedef|const|let|var|val|final|resource|message|service|#\\s?define';
const COMMENT = /^\s*(?:\*|\/\/|#(?!\s?define)|--|<!--)/;
const LONGEST_LINE = 400;

/** The lines of a text, from 0, that define this name: functions, methods, classes, types, constants. */
export function definitionLines(text: string, name: string): number[] {
  const escaped = name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const end = '(?![\\w$])';
  const patterns = [
    // `class Lease`, `func (s *Server) Close`, `fn close`
    new RegExp(
      `(?<![\\w$])(?:${KEYWORDS})\\s+(?:\\([^()]{0,80}\\)\\s*)?(?:self\\.|[\\w.]{1,64}\\.)?${escaped}${end}`,
    ),
    // `close = function`, `close: async () =>`
    new RegExp(
      `(?<![\\w$])${escaped}['"]?\\s*[:=]\\s*(?:async\\s+)?(?:function|class|\\w+\\s*=>|\\([^()]{0,150}\\)[^=]{0,80}=>)`,
    ),
    // `  async close(reason: string): void {`, `int close(void)`
    new RegExp(
      `^\\s*(?:[\\w:<>*&,.\\[\\]?@]{1,64}\\s+){0,6}[*&#]?${escaped}\\s*(?:<[^<>]{0,80}>)?\\([^;=]{0,200}(?:\\{|\\)|:|,|\\()\\s*$`,
    ),
  ];
  const calls = new RegExp(`\\b(?:return|await|new|throw|yield|if|while|else)\\b[^{]*${escaped}\\s*\\(`);
  return text.split('\n').flatMap((line, index) => {
    if (line.length > LONGEST_LINE || COMMENT.test(line) || calls.test(line)) return [];
    return patterns.some((pattern) => pattern.test(line)) ? [index] : [];
  });
}
