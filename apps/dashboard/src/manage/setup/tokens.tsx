import { useState } from 'preact/hooks';
import { type Role, type Schemas } from '../../api/schema.js';
import { RemoveButton } from '../../parts/action-button.js';
import { Instant, Section } from '../../parts/elements.js';
import { Select, TextField } from '../../parts/forms.js';
import { LoadableTable } from '../../parts/loadable.js';
import { useApi, type Loaded } from '../../state/use-load.js';
import { LinesField, linesOf } from '../forms/fields.js';
import { DialogButton, FormDialog } from '../forms/form.js';
import { ShownOnce } from './shown-once.js';

type NewToken = Schemas['NewTokenDto'];

const ROLES = [
  ['viewer', 'viewer: reads'],
  ['operator', 'operator: also starts, cancels and pauses'],
  ['admin', 'admin: also sets up'],
] as const satisfies [Role, string][];

/** Tokens of this service. A new one is shown once. */
export function Tokens() {
  const tokens: Loaded<Schemas['TokenListDto']> = useApi('/api/v1/tokens', { query: { limit: 100 } });
  const [created, setCreated] = useState<NewToken | null>(null);
  return (
    <Section title="API tokens">
      <p>
        <DialogButton label="Add a token">
          <TokenDialog
            onDone={(token) => {
              setCreated(token);
              tokens.reload();
            }}
          />
        </DialogButton>
      </p>
      {created && (
        <ShownOnce
          what="The token"
          name={created.name}
          secret={created.token}
          onClose={() => setCreated(null)}
        />
      )}
      <LoadableTable
        of={tokens}
        empty="None but REPOTIDE_ADMIN_TOKEN."
        caption="API tokens"
        columns={[
          { title: 'Name', cell: ({ name }) => name },
          { title: 'Role', cell: ({ role }) => role },
          { title: 'Scope', isExtra: true, cell: ({ scope }) => scope?.join(', ') ?? 'everything' },
          { title: 'Valid', cell: validityOf },
          { title: 'Last used', isExtra: true, cell: ({ last_used_at }) => <Instant at={last_used_at} /> },
          {
            title: 'Actions',
            cell: ({ id, name, is_valid }) =>
              is_valid && (
                <RemoveButton
                  kind="token"
                  label="Revoke"
                  name={name}
                  text="Requests with this token are refused from now on. This cannot be undone."
                  act={(api) => api.delete('/api/v1/tokens/{id}', { path: { id } })}
                  onDone={tokens.reload}
                />
              ),
          },
        ]}
      />
    </Section>
  );
}

function validityOf({ is_valid, revoked_at, expires_at }: Schemas['TokenListDto']['items'][number]) {
  if (is_valid) return expires_at === null ? 'without end' : <Instant at={expires_at} />;
  return <span class="faint">{revoked_at === null ? 'expired' : 'revoked'}</span>;
}

function TokenDialog({ onDone }: { onDone: (token: NewToken) => void }) {
  return (
    <FormDialog
      title="Add a token"
      submitLabel="Add the token"
      onDone={onDone}
      act={(api, values) => {
        const scope = linesOf(values, 'scope');
        const { name = '', role, expires_at } = values;
        const body = {
          name,
          role: role as Role,
          scope: scope.length > 0 ? scope : undefined,
          expires_at: expires_at ? new Date(expires_at).toISOString() : undefined,
        };
        return api.post('/api/v1/tokens', { body });
      }}
    >
      <TextField label="Name" name="name" required maxLength={100} placeholder="ci" />
      <Select label="Role" name="role" value="viewer" options={ROLES} />
      <LinesField
        label="Scope (one group or project a line)"
        name="scope"
        placeholder="platform"
        hint="It sees and changes only these. Empty: everything."
      />
      <TextField
        label="Valid until"
        name="expires_at"
        type="datetime-local"
        hint="Empty: it does not expire."
      />
    </FormDialog>
  );
}
