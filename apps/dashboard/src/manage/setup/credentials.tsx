import { type Schemas } from '../../api/schema.js';
import { RemoveButton } from '../../parts/action-button.js';
import { Instant, Section } from '../../parts/elements.js';
import { SecretField, TextField } from '../../parts/forms.js';
import { LoadableTable } from '../../parts/loadable.js';
import { useApi } from '../../state/use-load.js';
import { DeclaredMark, undoneByApply, useDeclarations } from '../forms/declared.js';
import { DialogButton, FormDialog } from '../forms/form.js';

type Credential = Schemas['CredentialDto'];

/** Tokens of code hosts. Their secrets can be written, and never read. */
export function Credentials() {
  const credentials = useApi('/api/v1/credentials', { query: { limit: 100 } });
  const declarations = useDeclarations({ kind: 'credential' });
  const onDone = credentials.reload;
  return (
    <Section title="Credentials of code hosts">
      <p>
        <DialogButton label="Add a credential">
          <CredentialDialog credential={null} onDone={onDone} />
        </DialogButton>
      </p>
      <LoadableTable
        of={credentials}
        empty="None: repositories are read with GITLAB_TOKEN."
        caption="Credentials"
        columns={[
          {
            title: 'Name',
            cell: ({ id, name }) => <DeclaredMark of={name} declaration={declarations.get(id)} />,
          },
          { title: 'Host', isExtra: true, cell: ({ base_url }) => base_url },
          { title: 'Repositories', isNumber: true, cell: ({ repository_count }) => repository_count },
          { title: 'State', cell: stateOf },
          {
            title: 'Actions',
            cell: (credential) => (
              <div class="row">
                <DialogButton label="New secret" subject={credential.name}>
                  <CredentialDialog credential={credential} onDone={onDone} />
                </DialogButton>
                <RemoveButton
                  kind="credential"
                  name={credential.name}
                  text={`It is refused while a repository is read with it.${undoneByApply(declarations.get(credential.id))}`}
                  act={(api) => api.delete('/api/v1/credentials/{id}', { path: { id: credential.id } })}
                  onDone={onDone}
                />
              </div>
            ),
          },
        ]}
      />
    </Section>
  );
}

function stateOf({ needs_login_since: since }: Credential) {
  if (since === null) return 'works';
  return (
    <span class="bad">
      needs a new secret since <Instant at={since} />
    </span>
  );
}

interface CredentialDialogProps {
  /** Null: a new one. */
  credential: Credential | null;
  onDone: () => void;
}

function CredentialDialog({ credential, onDone }: CredentialDialogProps) {
  return (
    <FormDialog
      title={credential ? `New secret of ${credential.name}` : 'Add a credential'}
      submitLabel="Save"
      done="Credential saved. Runs that start from now on use it."
      onDone={onDone}
      act={(api, { name = '', base_url, token = '', username }) => {
        const secret = { token, username: username || undefined };
        if (credential) {
          const { id, revision } = credential;
          return api.patch('/api/v1/credentials/{id}', { path: { id }, body: secret }, revision);
        }
        return api.post('/api/v1/credentials', {
          body: { name, base_url: base_url || undefined, ...secret },
        });
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
      <SecretField
        label="Token"
        required
        hint="With read_api for GitLab. It is encrypted, and never shown again."
      />
      <TextField
        label="User name"
        name="username"
        autoComplete="off"
        hint="Only for git hosts that expect a user name with the token."
      />
    </FormDialog>
  );
}
