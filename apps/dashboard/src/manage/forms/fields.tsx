import { type ComponentChildren } from 'preact';
import { useElementId } from '../../parts/element-id.js';
import { Select, TextField } from '../../parts/forms.js';
import { useApi } from '../../state/use-load.js';
import { type Values } from './form.js';

interface LinesFieldProps {
  label: string;
  name: string;
  value?: readonly string[];
  hint?: ComponentChildren;
  placeholder?: string;
}

/** Several texts, one on each line. */
export function LinesField({ label, name, value = [], hint, placeholder }: LinesFieldProps) {
  const hintId = useElementId();
  return (
    <div class="hinted">
      <label class="field">
        {label}
        <textarea
          name={name}
          rows={3}
          spellcheck={false}
          placeholder={placeholder}
          defaultValue={value.join('\n')}
          aria-describedby={hintId}
        />
      </label>
      <p class="hint" id={hintId}>
        {hint}
      </p>
    </div>
  );
}

export function linesOf(values: Values, name: string): string[] {
  return (values[name] ?? '').split('\n').flatMap((line) => line.trim() || []);
}

interface CheckFieldProps {
  label: string;
  name: string;
  isChecked?: boolean;
}

export function CheckField({ label, name, isChecked = false }: CheckFieldProps) {
  return (
    <label class="check">
      <input type="checkbox" name={name} value="yes" defaultChecked={isChecked} /> {label}
    </label>
  );
}

export function HostField() {
  return (
    <TextField
      label="Address of the GitLab"
      name="base_url"
      type="url"
      placeholder="https://gitlab.example.com"
      hint="Empty: the GitLab of the service (GITLAB_URL)."
    />
  );
}

const NO_CREDENTIAL = 'token of the service (GITLAB_TOKEN)';

/** Chooses a stored credential; empty: the token of the environment. */
export function CredentialField({ value }: { value?: string | null }) {
  const { data } = useApi('/api/v1/credentials', { query: { limit: 500 } });
  const options = (data?.items ?? []).map(({ id, name, base_url }) => [id, `${name} (${base_url})`] as const);
  return (
    <Select
      label="Credential"
      name="credential_id"
      value={value ?? ''}
      options={[['', NO_CREDENTIAL], ...options]}
    />
  );
}
