import { type Schemas } from '../../api/schema.js';
import { Section } from '../../parts/elements.js';
import { NumberField, TextField } from '../../parts/forms.js';
import { linkTo } from '../../state/route.js';
import { useSession } from '../../state/session.js';
import { DeclaredConsent, useDeclarations } from '../forms/declared.js';
import { CredentialField, LinesField, linesOf } from '../forms/fields.js';
import { DialogButton, Form, FormDialog, type Values } from '../forms/form.js';

type Repository = Schemas['RepositoryDto'];

interface SettingsProps {
  repository: Repository;
  name: string;
  onDone: () => void;
}

/** What is indexed and how, each field with what a change embeds again; and the removal. */
export function Settings({ repository, name, onDone }: SettingsProps) {
  const isAdmin = useSession().can('admin');
  if (!isAdmin) return <p class="faint">An admin can change the settings.</p>;
  return <SettingsForms {...{ repository, name, onDone }} />;
}

function SettingsForms({ repository, name, onDone }: SettingsProps) {
  const { id, revision } = repository;
  const declaration = useDeclarations({ resource_id: id }).get(id);
  return (
    <>
      <p class="faint">
        The next run obeys a change. Before it, “Dry run” above shows which files it would read and embed.
      </p>
      <div class="panel">
        <Form
          // A change by someone else replaces the values.
          key={revision}
          submitLabel="Save"
          done={`${name}: settings saved. The next run obeys them.`}
          onDone={onDone}
          act={(api, values) =>
            api.patch('/api/v1/repositories/{id}', { path: { id }, body: changesOf(values) }, revision)
          }
        >
          <TextField
            label="Branch"
            name="branch"
            required
            defaultValue={repository.branch}
            hint="Another branch embeds only the files that differ. The history stays."
          />
          <FileRules repository={repository} />
          <CredentialField value={repository.credential_id} />
          <DeclaredConsent declaration={declaration} />
        </Form>
      </div>
      <Section title="Danger zone">
        <div class="panel danger-zone">
          <p>
            Removing it deletes its schedules, and its points from the index. The history of its runs stays.
          </p>
          <DialogButton label="Remove the repository" class="danger">
            <RemoveDialog repository={repository} declaration={declaration} />
          </DialogButton>
        </div>
      </Section>
    </>
  );
}

function FileRules({ repository }: { repository: Repository }) {
  const { include_globs, exclude_globs, max_file_bytes, chunk_size, chunk_overlap } = repository;
  return (
    <>
      <LinesField
        label="Only files (one glob a line)"
        name="include_globs"
        value={include_globs}
        placeholder="src/**"
        hint="Empty: all. Files that match now are embedded; files that no longer match leave the index."
      />
      <LinesField
        label="Leave out (one glob a line)"
        name="exclude_globs"
        value={exclude_globs}
        placeholder="**/*.snap"
        hint="Files that match leave the index; nothing is embedded again."
      />
      <NumberField
        label="Largest file, in bytes"
        name="max_file_bytes"
        required
        value={max_file_bytes}
        hint="Only files between the former and the new limit are embedded or leave the index."
      />
      <NumberField
        label="Characters of a chunk"
        name="chunk_size"
        min={100}
        required
        value={chunk_size}
        hint={ALL_AGAIN}
      />
      <NumberField
        label="Characters that neighbouring chunks share"
        name="chunk_overlap"
        min={0}
        required
        value={chunk_overlap}
        hint={ALL_AGAIN}
      />
    </>
  );
}

const ALL_AGAIN = 'A change splits all files again and embeds every chunk again.';

function changesOf(values: Values) {
  const { branch = '', credential_id, max_file_bytes, chunk_size, chunk_overlap } = values;
  return {
    branch,
    include_globs: linesOf(values, 'include_globs'),
    exclude_globs: linesOf(values, 'exclude_globs'),
    max_file_bytes: Number(max_file_bytes),
    chunk_size: Number(chunk_size),
    chunk_overlap: Number(chunk_overlap),
    credential_id: credential_id === '' ? null : credential_id,
  };
}

interface RemoveDialogProps {
  repository: Repository;
  declaration: string | undefined;
}

function RemoveDialog({ repository: { id, project_path }, declaration }: RemoveDialogProps) {
  return (
    <FormDialog
      title={`Remove ${project_path}?`}
      submitLabel="Remove the repository"
      isDangerous
      done={`${project_path} is removed; its points are purged in the background.`}
      onDone={() => (location.hash = linkTo('repositories'))}
      act={(api) => api.delete('/api/v1/repositories/{id}', { path: { id } })}
    >
      <p>Searches will not find it. To get it back, register it: it is then embedded again.</p>
      <TextField
        label={`Type ${project_path} to confirm`}
        name="confirmation"
        required
        autoComplete="off"
        pattern={project_path.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&')}
        title={`Type ${project_path}`}
      />
      <DeclaredConsent declaration={declaration} />
    </FormDialog>
  );
}
