import { parser } from '@prometheus-io/lezer-promql';

/** One selector of a query. */
export interface Selector {
  metric: string;
  /** `[label, value or pattern]` of its matchers. */
  matchers: [string, string][];
}

export interface QueryParts {
  selectors: Selector[];
  /** Labels of `by`, `without`, `on` and `ignoring`. */
  groupingLabels: string[];
}

const strict = parser.configure({ strict: true });

/**
 * Parses a query with Prometheus' own grammar.
 * @throws SyntaxError when the query is invalid.
 */
export function readQuery(query: string): QueryParts {
  const parts: QueryParts = { selectors: [], groupingLabels: [] };
  let isGrouping = false;
  let label = '';
  strict.parse(query).iterate({
    enter: ({ name, from, to }) => {
      const text = query.slice(from, to);
      if (name === 'GroupingLabels') isGrouping = true;
      else if (name === 'LabelMatchers') isGrouping = false;
      else if (name === 'Identifier') parts.selectors.push({ metric: text, matchers: [] });
      else if (name === 'LabelName' && isGrouping) parts.groupingLabels.push(text);
      else if (name === 'LabelName') label = text;
      else if (name === 'StringLiteral' && !isGrouping) {
        parts.selectors.at(-1)?.matchers.push([label, text.slice(1, -1)]);
      }
    },
    leave: ({ name }) => {
      if (name === 'GroupingLabels') isGrouping = false;
    },
  });
  return parts;
}
