import { type Schemas } from '../../api/schema.js';
import { ActionButton, RemoveButton } from '../../parts/action-button.js';
import { Instant, Section } from '../../parts/elements.js';
import { TextField } from '../../parts/forms.js';
import { LoadableTable } from '../../parts/loadable.js';
import { linkTo } from '../../state/route.js';
import { useApi } from '../../state/use-load.js';
import { CheckField, CredentialField, LinesField, linesOf } from '../forms/fields.js';
import { DeclaredConsent, DeclaredMark, undoneByApply, useDeclarations } from '../forms/declared.js';
import { DialogButton, FormDialog, type Values } from '../forms/form.js';
import { TimingFields } from '../schedules/timing-fields.js';

type Discovery = Schemas['DiscoveryDto'];

const POLL_MS = 15_000;

/** Groups and hosts whose projects are registered automatically. */
export function DiscoveryList() {
  const discoveries = useApi('/api/v1/discoveries', { query: { limit: 100 } }, POLL_MS);
  const declarations = useDeclarations({ kind: 'discovery' });
  return (
    <Section title="Discoveries">
      <LoadableTable
        of={discoveries}
        empty={
          <p class="faint">
            None. <a href={linkTo('setup/connect')}>Connect a GitLab</a> to register the projects of a group.
          </p>
        }
        caption="Discoveries"
        columns={[
          {
            title: 'Name',
            cell: ({ id, name }) => <DeclaredMark of={name} declaration={declarations.get(id)} />,
          },
          { title: 'Group', cell: groupOf },
          {
            title: 'Schedule of new repositories',
            isExtra: true,
            cell: ({ schedule }) => schedule && <code>{schedule.cron_expression}</code>,
          },
          {
            title: 'Next run',
            isExtra: true,
            cell: ({ next_run_at }) => <Instant at={next_run_at} absent="on request" />,
          },
          {
            title: 'Actions',
            cell: (discovery) => (
              <Actions
                {...{ discovery }}
                declaration={declarations.get(discovery.id)}
                onDone={discoveries.reload}
              />
            ),
          },
        ]}
      />
    </Section>
  );
}

function groupOf({ group_path: group, base_url }: Discovery) {
  if (group === null) return `all projects of ${base_url}`;
  return <a href={linkTo('repositories', { group })}>{group}</a>;
}

interface DiscoveryProps {
  discovery: Discovery;
  declaration: string | undefined;
  onDone: () => void;
}

function Actions({ discovery, declaration, onDone }: DiscoveryProps) {
  const { id, name } = discovery;
  const path = { id };
  return (
    <div class="row">
      <ActionButton
        label="Run"
        subject={name}
        role="operator"
        done="run queued."
        act={(api) => api.post('/api/v1/discoveries/{id}/run', { path, body: {} })}
        onDone={onDone}
      />
      <DialogButton label="Change" subject={name}>
        <DiscoveryDialog {...{ discovery, declaration, onDone }} />
      </DialogButton>
      <RemoveButton
        kind="discovery"
        name={name}
        text={`Its repositories stay, like repositories registered by hand.${undoneByApply(declaration)}`}
        act={(api) => api.delete('/api/v1/discoveries/{id}', { path })}
        onDone={onDone}
      />
    </div>
  );
}

function DiscoveryDialog({ discovery, declaration, onDone }: DiscoveryProps) {
  const { id, revision, include_projects, exclude_projects, branches } = discovery;
  return (
    <FormDialog
      title={`Change the discovery ${discovery.name}`}
      submitLabel="Save"
      done="Discovery saved. Its next run obeys the change; registered repositories keep their settings."
      onDone={onDone}
      act={(api, values) =>
        api.patch('/api/v1/discoveries/{id}', { path: { id }, body: changesOf(values) }, revision)
      }
    >
      <TextField label="Name" name="name" required maxLength={200} defaultValue={discovery.name} />
      <LinesField
        label="Only projects (one glob a line)"
        name="include_projects"
        value={include_projects}
        placeholder="team/services/**"
        hint="Empty: all."
      />
      <LinesField
        label="Not these projects (one glob a line)"
        name="exclude_projects"
        value={exclude_projects}
        placeholder="**/*-archive"
      />
      <LinesField
        label="Branches (one name or glob a line)"
        name="branches"
        value={branches}
        placeholder="main"
        hint="Empty: the default branch of each project."
      />
      <CredentialField value={discovery.credential_id} />
      <CheckField label="With subgroups" name="include_subgroups" isChecked={discovery.include_subgroups} />
      <CheckField label="Active: runs on its schedule" name="is_active" isChecked={discovery.is_active} />
      <TimingFields expression={discovery.cron_expression} timezone={discovery.timezone} />
      <DeclaredConsent declaration={declaration} />
    </FormDialog>
  );
}

function changesOf(values: Values) {
  const { name = '', credential_id, cron_expression = '', timezone = '' } = values;
  return {
    ...{ name, cron_expression, timezone },
    credential_id: credential_id === '' ? null : credential_id,
    include_projects: linesOf(values, 'include_projects'),
    exclude_projects: linesOf(values, 'exclude_projects'),
    branches: linesOf(values, 'branches'),
    include_subgroups: values.include_subgroups === 'yes',
    is_active: values.is_active === 'yes',
  };
}
