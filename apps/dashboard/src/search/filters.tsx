import { type Schemas } from '../api/schema.js';
import { linkTo } from '../state/route.js';

/** The state of the page, as its address has it. */
export type SearchQuery = Readonly<Record<string, string>>;

const MOST_SHOWN = 8;
const TITLES = { repository: 'Repository', language: 'Language', kind: 'Kind' } as const;
type FilterName = keyof typeof TITLES;

/** What the hits can be narrowed to, with counts. */
export function Filters({ query, facets }: { query: SearchQuery; facets: Schemas['FacetsDto'] }) {
  const groups = [
    ['kind', facets.kinds.map(({ value, count }) => ({ value, count, name: value }))],
    ['language', facets.languages.map(({ value, count }) => ({ value, count, name: value }))],
    ['repository', facets.repositories],
  ] as const;
  return (
    <>
      {groups.map(
        ([filter, values]) =>
          values.length > 0 && (
            <section key={filter} aria-label={TITLES[filter]}>
              <h2>{TITLES[filter]}</h2>
              <ul>
                {values.slice(0, MOST_SHOWN).map(({ value, count, name }) => (
                  <li key={value}>
                    <a
                      href={toggled(query, filter, value)}
                      aria-current={query[filter] === value ? 'true' : undefined}
                      title={name}
                    >
                      <span>{name}</span> <span class="faint">{count}</span>
                    </a>
                  </li>
                ))}
              </ul>
            </section>
          ),
      )}
    </>
  );
}

/** The filters that apply, each with a way to remove it. */
export function Chips({ query, repositoryName }: { query: SearchQuery; repositoryName: string }) {
  const chips = (['kind', 'language', 'repository', 'path'] as const).filter((name) => query[name]);
  if (chips.length === 0) return null;
  return (
    <ul class="chips" aria-label="Filters">
      {chips.map((name) => {
        const value = query[name]!;
        const text = name === 'repository' ? repositoryName : value;
        return (
          <li key={name}>
            <a class="chip" href={linkTo('search', { ...query, [name]: '' })}>
              {name}: <strong>{text}</strong> <span aria-hidden="true">✕</span>
              <span class="hidden">Remove this filter</span>
            </a>
          </li>
        );
      })}
    </ul>
  );
}

function toggled(query: SearchQuery, name: FilterName, value: string): string {
  return linkTo('search', { ...query, [name]: query[name] === value ? '' : value });
}
