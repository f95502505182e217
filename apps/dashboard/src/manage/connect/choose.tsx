import { useState } from 'preact/hooks';
import { TextField } from '../../parts/forms.js';
import { formatNumber } from '../../parts/format.js';
import { Empty } from '../../parts/loadable.js';
import { groupsOf } from './groups-of.js';
import { type Connection } from './host.js';

/** A whole group, also its future projects; or these projects. */
export type Choice = { kind: 'group'; groupPath: string } | { kind: 'projects'; paths: readonly string[] };

/** Rows of a list that is not searched. */
const SHOWN = 60;

interface ChooseProps {
  connection: Connection;
  onBack: () => void;
  onDone: (choice: Choice) => void;
}

export function Choose({ connection: { projects, total }, onBack, onDone }: ChooseProps) {
  const [kind, setKind] = useState<Choice['kind']>('group');
  const [search, setSearch] = useState('');
  const [groupPath, setGroupPath] = useState<string | null>(null);
  const [paths, setPaths] = useState<ReadonlySet<string>>(new Set());
  const matches = (path: string): boolean => path.toLowerCase().includes(search.toLowerCase());
  const groups = groupsOf(projects.map(({ project_path }) => project_path)).filter(({ path }) =>
    matches(path),
  );
  const listed = projects.filter(({ project_path }) => matches(project_path));
  const choice: Choice | null =
    kind === 'projects'
      ? paths.size > 0
        ? { kind, paths: [...paths] }
        : null
      : groupPath === null
        ? null
        : { kind, groupPath };
  const toggle = (path: string): void => {
    const next = new Set(paths);
    if (!next.delete(path)) next.add(path);
    setPaths(next);
  };
  return (
    <div class="panel form">
      <p class="notice notice-good" role="status">
        Connected: the token sees {formatNumber(total)} {total === 1 ? 'project' : 'projects'}.
        {total > projects.length && ` The first ${formatNumber(projects.length)} are listed.`}
      </p>
      {total === 0 && (
        <Empty title="The token is a member of no project.">
          Give its user at least the role Reporter in a group or project.
        </Empty>
      )}
      <fieldset>
        <legend>What to index</legend>
        <label class="check">
          <input type="radio" name="kind" checked={kind === 'group'} onChange={() => setKind('group')} /> A
          group: all its projects, also those added later
        </label>
        <label class="check">
          <input
            type="radio"
            name="kind"
            checked={kind === 'projects'}
            onChange={() => setKind('projects')}
          />{' '}
          Single projects
        </label>
      </fieldset>
      <TextField
        label="Find"
        type="search"
        value={search}
        onInput={(event) => setSearch(event.currentTarget.value)}
      />
      <ul class="options" aria-label={kind === 'group' ? 'Groups' : 'Projects'}>
        {kind === 'group'
          ? groups.slice(0, SHOWN).map(({ path, projects: count }) => (
              <li key={path}>
                <label class="check">
                  <input
                    type="radio"
                    name="group"
                    checked={groupPath === path}
                    onChange={() => setGroupPath(path)}
                  />{' '}
                  {path}{' '}
                  <span class="faint">{`${formatNumber(count)} ${count === 1 ? 'project' : 'projects'}`}</span>
                </label>
              </li>
            ))
          : listed.slice(0, SHOWN).map(({ project_path, is_registered, default_branch }) => (
              <li key={project_path}>
                <label class="check">
                  <input
                    type="checkbox"
                    checked={paths.has(project_path)}
                    disabled={is_registered || default_branch === null}
                    onChange={() => toggle(project_path)}
                  />{' '}
                  {project_path}{' '}
                  <span class="faint">
                    {is_registered
                      ? 'registered'
                      : default_branch === null
                        ? 'empty, or its code may not be read'
                        : default_branch}
                  </span>
                </label>
              </li>
            ))}
      </ul>
      {(kind === 'group' ? groups : listed).length > SHOWN && <p class="faint">Find narrows the list.</p>}
      <div class="row end">
        <button type="button" onClick={onBack}>
          Go back
        </button>
        <button
          type="button"
          class="primary"
          disabled={choice === null}
          onClick={() => choice && onDone(choice)}
        >
          Next: schedule
        </button>
      </div>
    </div>
  );
}
