import { useEffect, useState } from 'preact/hooks';
import { type Schemas } from '../api/schema.js';
import type * as highlight from '../highlight/highlight.js';
import { markedPieces } from './marked-pieces.js';

type Highlighter = typeof highlight;
let loaded: Highlighter | null = null;
let loading: Promise<Highlighter> | undefined;

/** Loads the highlighter with the first code; until then, and without it, code is plain. */
function useHighlighter(): Highlighter | null {
  const [highlighter, setHighlighter] = useState(loaded);
  useEffect(() => {
    loading ??= import(new URL('./highlight.js', import.meta.url).href) as Promise<Highlighter>;
    loading.then(
      (module) => setHighlighter((loaded = module)),
      () => undefined,
    );
  }, []);
  return highlighter;
}

interface CodeLinesProps {
  snippet: Schemas['SnippetDto'];
  language: string | null;
  label: string;
  /** How many lines are shown, around the first match. */
  height: number;
}

/** Numbered lines with their syntax, and the terms of the query marked. */
export function CodeLines({ snippet, language, label, height }: CodeLinesProps) {
  const highlighter = useHighlighter();
  const { text, start_line: firstLine, highlights } = snippet;
  const plain = text.split('\n').map((line): highlight.Token[] => [{ text: line, kind: '' }]);
  const tokens = (language === null ? null : highlighter?.tokensOf(text, language)) ?? plain;
  const matched = highlights[0] ? highlights[0].line - firstLine : 0;
  const first = Math.max(0, Math.min(matched, tokens.length - height));
  return (
    <pre class="code" tabIndex={0} role="region" aria-label={label}>
      {tokens.slice(first, first + height).map((line, index) => {
        const number = firstLine + first + index;
        const marks = highlights.filter((mark) => mark.line === number);
        return (
          <code key={number} data-line={number}>
            {markedPieces(line, marks).map(({ text: piece, kind, isMarked }, place) => {
              const name = kind === '' ? undefined : `syntax-${kind}`;
              return isMarked ? (
                <mark key={place}>{piece}</mark>
              ) : (
                <span key={place} class={name}>
                  {piece}
                </span>
              );
            })}
            {'\n'}
          </code>
        );
      })}
    </pre>
  );
}
