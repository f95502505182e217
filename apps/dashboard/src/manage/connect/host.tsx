import { type Api } from '../../api/api.js';
import { SecretField } from '../../parts/forms.js';
import { CredentialField, HostField } from '../forms/fields.js';
import { Form, type Values } from '../forms/form.js';

/** A GitLab that answered. */
export interface Connection {
  /** Undefined: the GitLab of the service. */
  baseUrl: string | undefined;
  credentialId: string | undefined;
  /** The credential was made for this connection; nothing else uses it. */
  isNewCredential: boolean;
  /** The projects that it shows. */
  total: number;
}

/** Asks for host and token, and tests them by listing the projects that they show. */
export function Host({ onDone }: { onDone: (connection: Connection) => void }) {
  return (
    <div class="panel">
      <Form submitLabel="Connect and test" act={connect} onDone={onDone}>
        <HostField />
        <SecretField
          label="Access token"
          hint="A personal, project or group access token with read_api and read_repository. It is stored encrypted. Empty: the credential below."
        />
        <CredentialField />
      </Form>
    </div>
  );
}

async function connect(api: Api, values: Values): Promise<Connection> {
  const baseUrl = values.base_url || undefined;
  if (!values.token)
    return { ...(await list(api, baseUrl, values.credential_id || undefined)), isNewCredential: false };
  const host = baseUrl === undefined ? 'GitLab' : new URL(baseUrl).host;
  // The name must be new, and says when the token was given.
  const name = `${host} ${new Date().toISOString().slice(0, 19).replace('T', ' ')}`;
  const body = { name, token: values.token, ...(baseUrl && { base_url: baseUrl }) };
  const { id } = await api.post('/api/v1/credentials', { body });
  try {
    return { ...(await list(api, baseUrl, id)), isNewCredential: true };
  } catch (thrown) {
    // A token that does not work is not kept.
    await api.delete('/api/v1/credentials/{id}', { path: { id } }).catch(() => undefined);
    throw thrown;
  }
}

async function list(
  api: Api,
  baseUrl?: string,
  credentialId?: string,
): Promise<Omit<Connection, 'isNewCredential'>> {
  const query = { base_url: baseUrl, credential_id: credentialId, limit: 1 };
  const { total } = await api.get('/api/v1/source-projects', { query });
  return { baseUrl, credentialId, total };
}
