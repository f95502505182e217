import { STATUSES, TRIGGERS } from '../api/answers.js';
import { valuesOf } from '../parts/form-values.js';
import { repositoryOptions, type RepositoryNames } from '../state/use-repository-names.js';
import { linkTo } from '../state/route.js';
import { Select } from '../parts/select.js';

interface HistoryFiltersProps {
  query: Record<string, string>;
  names: RepositoryNames;
}

/** Filters stand in the address, so that a view can be bookmarked and sent. */
export function HistoryFilters({ query, names }: HistoryFiltersProps) {
  const apply = (event: Event): void => {
    event.preventDefault();
    location.hash = linkTo('history', valuesOf(event));
  };
  return (
    <form class="filters" aria-label="Filters" onChange={apply} onSubmit={apply}>
      <Select
        label="Outcome"
        name="status"
        value={query.status}
        options={STATUSES.map((name) => [name, name])}
      />
      <Select
        label="Trigger"
        name="trigger"
        value={query.trigger}
        options={TRIGGERS.map((name) => [name, name])}
      />
      <Select
        label="Repository"
        name="repository"
        value={query.repository}
        options={repositoryOptions(names, query.repository)}
      />
      <label class="field">
        Pod
        <input name="pod" type="search" defaultValue={query.pod ?? ''} placeholder="repotide-0" />
      </label>
      <label class="field">
        From
        <input name="from" type="datetime-local" defaultValue={query.from ?? ''} />
      </label>
      <label class="field">
        Until
        <input name="to" type="datetime-local" defaultValue={query.to ?? ''} />
      </label>
      {Object.keys(query).some((name) => name !== 'page') && <a href={linkTo('history')}>Show all</a>}
    </form>
  );
}
