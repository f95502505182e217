import { useState } from 'preact/hooks';
import { toggled } from '../../parts/data-table.js';
import { TextField } from '../../parts/forms.js';
import { formatNumber } from '../../parts/format.js';
import { Empty, Loadable } from '../../parts/loadable.js';
import { useApi, useSettled } from '../../state/use-load.js';
import { type Connection } from './host.js';

/** A whole group, also its future projects; or these projects. */
export type Choice = { kind: 'group'; groupPath: string } | { kind: 'projects'; paths: readonly string[] };

const SHOWN = 60;

interface ChooseProps {
  connection: Connection;
  onBack: () => void;
  onDone: (choice: Choice) => void;
}

export function Choose({ connection: { baseUrl, credentialId, total }, onBack, onDone }: ChooseProps) {
  const [kind, setKind] = useState<Choice['kind']>('group');
  const [search, setSearch] = useState('');
  const [groupPath, setGroupPath] = useState<string | null>(null);
  const [paths, setPaths] = useState<ReadonlySet<string>>(new Set());
  const found = useApi('/api/v1/source-projects', {
    query: {
      base_url: baseUrl,
      credential_id: credentialId,
      search: useSettled(search.trim()) || undefined,
      limit: SHOWN,
    },
  });
  const group: Choice | null = groupPath === null ? null : { kind: 'group', groupPath };
  const projects: Choice | null = paths.size === 0 ? null : { kind: 'projects', paths: [...paths] };
  const choice = kind === 'group' ? group : projects;
  return (
    <div class="panel form">
      <p class="notice notice-good" role="status">
        Connected: the token sees {countOf(total)}.
      </p>
      {total === 0 && (
        <Empty title="The token is a member of no project.">
          Give its user at least the role Reporter in a group or project.
        </Empty>
      )}
      <Kind kind={kind} onChange={setKind} />
      <TextField
        label="Find"
        type="search"
        value={search}
        onInput={(event) => setSearch(event.currentTarget.value)}
      />
      <Loadable of={found}>
        {({ items, groups, group_total, total: matching }) => (
          <>
            <ul class="options" aria-label={kind === 'group' ? 'Groups' : 'Projects'}>
              {kind === 'group'
                ? groups.map(({ group_path, project_count }) => (
                    <Option
                      key={group_path}
                      type="radio"
                      text={group_path}
                      note={countOf(project_count)}
                      checked={groupPath === group_path}
                      onChange={() => setGroupPath(group_path)}
                    />
                  ))
                : items.map(({ project_path, is_registered, default_branch }) => (
                    <Option
                      key={project_path}
                      type="checkbox"
                      text={project_path}
                      note={
                        is_registered
                          ? 'registered'
                          : (default_branch ?? 'empty, or its code may not be read')
                      }
                      checked={paths.has(project_path)}
                      disabled={is_registered || default_branch === null}
                      onChange={() => setPaths(toggled(paths, project_path))}
                    />
                  ))}
            </ul>
            <More total={kind === 'group' ? group_total : matching} />
          </>
        )}
      </Loadable>
      {kind === 'projects' && paths.size > 0 && <p role="status">{`${formatNumber(paths.size)} chosen.`}</p>}
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

interface OptionProps {
  type: 'radio' | 'checkbox';
  text: string;
  note: string;
  checked: boolean;
  disabled?: boolean;
  onChange: () => void;
}

function Option({ text, note, ...input }: OptionProps) {
  return (
    <li>
      <label class="check">
        <input name="option" {...input} /> {text} <span class="faint">{note}</span>
      </label>
    </li>
  );
}

const KINDS = [
  ['group', 'A group: all its projects, also those added later'],
  ['projects', 'Single projects'],
] as const;

function Kind({ kind, onChange }: { kind: Choice['kind']; onChange: (kind: Choice['kind']) => void }) {
  return (
    <fieldset>
      <legend>What to index</legend>
      {KINDS.map(([value, text]) => (
        <label key={value} class="check">
          <input type="radio" name="kind" checked={kind === value} onChange={() => onChange(value)} /> {text}
        </label>
      ))}
    </fieldset>
  );
}

function More({ total }: { total: number }) {
  if (total === 0) return <p class="faint">Nothing matches.</p>;
  if (total <= SHOWN) return null;
  return <p class="faint">{`${formatNumber(total - SHOWN)} more: “Find” narrows the list.`}</p>;
}

function countOf(projects: number): string {
  return projects === 1 ? '1 project' : `${formatNumber(projects)} projects`;
}
