import { useState } from 'preact/hooks';
import { type Schemas } from '../api/schema.js';
import { Instant } from '../parts/elements.js';
import { CodeLines } from './code-lines.js';

const COMPACT_LINES = 3;

export function Hit({ hit }: { hit: Schemas['SearchHitDto'] }) {
  const [isOpen, setOpen] = useState(false);
  const { snippet, freshness, path, language, kind, score, scores } = hit;
  const place = `${path}:${snippet.start_line}-${snippet.end_line}`;
  // Where little room is, the folders are shortened, and the name of the file is not.
  const nameStart = path.lastIndexOf('/') + 1;
  const lines = snippet.text.split('\n').length;
  const matches = hit.matching_lines;
  const parts = matches
    ? `matches at lines ${matches.join(', ')}`
    : `score ${score.toFixed(3)}; meaning ${shown(scores.dense)}, words ${shown(scores.lexical)}${named(scores.names)}${reranked(scores.reranker)}`;
  return (
    <li class="hit">
      <div class="hit-head">
        <span class="hit-repository one-line faint" title={`at commit ${hit.commit}`}>
          {hit.project_path}@{hit.branch}
        </span>
        <h2>
          <a
            class="hit-link"
            href={hit.web_url ?? undefined}
            target="_blank"
            rel="noreferrer"
            title={place}
            aria-label={place}
          >
            <span class="one-line">{place.slice(0, nameStart)}</span>
            <span>{place.slice(nameStart)}</span>
          </a>
        </h2>
        <span class="hit-facts faint">
          {lines > COMPACT_LINES && (
            <button
              type="button"
              class="quiet hit-more"
              aria-expanded={isOpen}
              aria-label={`${isOpen ? 'Fewer' : 'More'} lines of ${place}`}
              onClick={() => setOpen(!isOpen)}
            >
              {isOpen ? 'fewer lines' : 'more lines'}
            </button>
          )}
          <span>{language ?? kind}</span>
          <span title={parts}>{matches ? countOf(matches.length) : score.toFixed(2)}</span>
          <Instant at={freshness.last_sync_at} absent="not synced" />
        </span>
      </div>
      <CodeLines
        snippet={snippet}
        language={language}
        label={place}
        height={isOpen ? lines : COMPACT_LINES}
      />
    </li>
  );
}

function shown(score: number | null): string {
  return score === null ? 'not found' : score.toFixed(3);
}

function named(score: number | null): string {
  return score === null ? '' : `, names ${score.toFixed(3)}`;
}

function reranked(score: number | null): string {
  return score === null ? '' : `, reranker ${score.toFixed(3)}`;
}

function countOf(matches: number): string {
  return matches === 1 ? '1 line' : `${matches} lines`;
}
