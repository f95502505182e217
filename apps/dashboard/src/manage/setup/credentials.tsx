import { type Schemas } from '../../api/schema.js';
import { ActionButton } from '../../parts/action-button.js';
import { DataTable } from '../../parts/data-table.js';
import { Instant, Section } from '../../parts/elements.js';
import { TextField } from '../../parts/forms.js';
import { LoadableList } from '../../parts/loadable.js';
import { useApi } from '../../state/use-load.js';
import { DeclaredMark, undoneByApply, useDeclarations } from '../forms/declared.js';
import { DialogButton, FormDialog } from '../forms/form.js';

type Credential = Schemas['CredentialDto'];

/** Tokens of code hosts. Their secrets can be written, and never read. */
export function Credentials() {
  const credentials = useApi('/api/v1/credentials', { query: { limit: 100 } });
  const declarations = useDeclarations({ kind: 'credential' });
  return (
    <Section title="Credentials of code hosts">
      <p>
        <DialogButton
          label="Add a credential"
          dialog={(close) => (
            <CredentialDialog credential={null} onClose={close} onDone={credentials.reload} />
          )}
        />
      </p>
      <LoadableList of={credentials} empty="None: repositories are read with GITLAB_TOKEN.">
        {(items) => (
          <DataTable
            caption="Credentials"
            rows={items}
            keyOf={({ id }) => id}
            columns={[
              {
                title: 'Name',
                cell: ({ id, name }) => (
                  <>
                    {name} <DeclaredMark declaration={declarations.get(id)} />
                  </>
                ),
              },
              { title: 'Host', isExtra: true, cell: ({ base_url }) => base_url },
              { title: 'Repositories', isNumber: true, cell: ({ repository_count }) => repository_count },
              {
                title: 'State',
                cell: ({ needs_login_since }) =>
                  needs_login_since === null ? (
                    'works'
                  ) : (
                    <span class="bad">
                      needs a new secret since <Instant at={needs_login_since} />
                    </span>
                  ),
              },
              {
                title: 'Actions',
                cell: (credential) => (
                  <Actions
                    credential={credential}
                    declaration={declarations.get(credential.id)}
                    onDone={credentials.reload}
                  />
                ),
              },
            ]}
          />
        )}
      </LoadableList>
    </Section>
  );
}

interface ActionsProps {
  credential: Credential;
  declaration: string | undefined;
  onDone: () => void;
}

function Actions({ credential, declaration, onDone }: ActionsProps) {
  const { id, name } = credential;
  return (
    <div class="row">
      <DialogButton
        label="New secret"
        subject={name}
        dialog={(close) => <CredentialDialog credential={credential} onClose={close} onDone={onDone} />}
      />
      <ActionButton
        label="Remove"
        subject={name}
        role="admin"
        confirmation={{
          title: `Remove the credential ${name}?`,
          text: `It is refused while a repository is read with it.${undoneByApply(declaration)}`,
          confirmLabel: 'Remove the credential',
          isDangerous: true,
        }}
        done="credential removed."
        act={(api) => api.delete('/api/v1/credentials/{id}', { path: { id } })}
        onDone={onDone}
      />
    </div>
  );
}

interface CredentialDialogProps {
  /** Null: a new one. */
  credential: Credential | null;
  onClose: () => void;
  onDone: () => void;
}

function CredentialDialog({ credential, onClose, onDone }: CredentialDialogProps) {
  return (
    <FormDialog
      title={credential ? `New secret of ${credential.name}` : 'Add a credential'}
      submitLabel="Save"
      done="Credential saved. Runs that start from now on use it."
      onCancel={onClose}
      onDone={onDone}
      act={(api, { name = '', base_url, token = '', username }) => {
        const secret = { token, ...(username && { username }) };
        if (credential) {
          const { id, revision } = credential;
          return api.patch('/api/v1/credentials/{id}', { path: { id }, body: secret }, revision);
        }
        return api.post('/api/v1/credentials', { body: { name, ...(base_url && { base_url }), ...secret } });
      }}
    >
      {!credential && (
        <>
          <TextField label="Name" name="name" required maxLength={100} placeholder="platform group" />
          <TextField
            label="Address of the host"
            name="base_url"
            type="url"
            placeholder="https://gitlab.example.com"
            hint="Empty: the GitLab of the service. The token is sent to no other host."
          />
        </>
      )}
      <TextField
        label="Token"
        name="token"
        type="password"
        required
        autoComplete="off"
        spellcheck={false}
        hint="With read_api for GitLab. It is encrypted, and never shown again."
      />
      <TextField
        label="User name"
        name="username"
        autoComplete="off"
        hint="Only for git hosts that expect one beside the token."
      />
    </FormDialog>
  );
}
