import { useState } from 'preact/hooks';
import { type Schemas } from '../../api/schema.js';
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
            {kind === 'group' ? (
              <Groups groups={groups} chosen={groupPath} onChoose={setGroupPath} />
            ) : (
              <Projects projects={items} chosen={paths} onToggle={toggle} />
            )}
            <More shown={SHOWN} total={kind === 'group' ? group_total : matching} />
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

function Kind({ kind, onChange }: { kind: Choice['kind']; onChange: (kind: Choice['kind']) => void }) {
  return (
    <fieldset>
      <legend>What to index</legend>
      <label class="check">
        <input type="radio" name="kind" checked={kind === 'group'} onChange={() => onChange('group')} /> A
        group: all its projects, also those added later
      </label>
      <label class="check">
        <input type="radio" name="kind" checked={kind === 'projects'} onChange={() => onChange('projects')} />{' '}
        Single projects
      </label>
    </fieldset>
  );
}

interface GroupsProps {
  groups: readonly Schemas['SourceGroupDto'][];
  chosen: string | null;
  onChoose: (path: string) => void;
}

function Groups({ groups, chosen, onChoose }: GroupsProps) {
  return (
    <ul class="options" aria-label="Groups">
      {groups.map(({ group_path, project_count }) => (
        <li key={group_path}>
          <label class="check">
            <input
              type="radio"
              name="group"
              checked={chosen === group_path}
              onChange={() => onChoose(group_path)}
            />{' '}
            {group_path}{' '}
            <span class="faint">{`${formatNumber(project_count)} ${project_count === 1 ? 'project' : 'projects'}`}</span>
          </label>
        </li>
      ))}
    </ul>
  );
}

interface ProjectsProps {
  projects: readonly Schemas['SourceProjectDto'][];
  chosen: ReadonlySet<string>;
  onToggle: (path: string) => void;
}

function Projects({ projects, chosen, onToggle }: ProjectsProps) {
  return (
    <ul class="options" aria-label="Projects">
      {projects.map(({ project_path, is_registered, default_branch }) => (
        <li key={project_path}>
          <label class="check">
            <input
              type="checkbox"
              checked={chosen.has(project_path)}
              disabled={is_registered || default_branch === null}
              onChange={() => onToggle(project_path)}
            />{' '}
            {project_path}{' '}
            <span class="faint">
              {is_registered ? 'registered' : (default_branch ?? 'empty, or its code may not be read')}
            </span>
          </label>
        </li>
      ))}
    </ul>
  );
}

function More({ shown, total }: { shown: number; total: number }) {
  if (total === 0) return <p class="faint">Nothing matches.</p>;
  if (total <= shown) return null;
  return <p class="faint">{`${formatNumber(total - shown)} more: “Find” narrows the list.`}</p>;
}
