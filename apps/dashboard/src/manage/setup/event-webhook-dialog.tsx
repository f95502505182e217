import { type Schemas } from '../../api/schema.js';
import { TextField } from '../../parts/forms.js';
import { CheckField, LinesField, linesOf } from '../forms/fields.js';
import { FormDialog, type Values } from '../forms/form.js';

type Webhook = Schemas['EventWebhookDto'];

const EVENTS = [
  ['run.finished', 'A run finished, with its outcome and counters'],
  ['repository.failing', 'A repository began to fail'],
  ['repository.recovered', 'A repository that failed works again'],
  ['index.drifted', 'A verification found a difference between an index and its tree'],
  ['index.lost', 'The points of a repository were lost'],
] as const satisfies readonly (readonly [Schemas['EventType'], string])[];

interface EventWebhookDialogProps {
  /** Null: a new one. */
  webhook: Webhook | null;
  onDone: (webhook: Webhook | Schemas['NewEventWebhookDto']) => void;
}

export function EventWebhookDialog({ webhook, onDone }: EventWebhookDialogProps) {
  return (
    <FormDialog<Webhook | Schemas['NewEventWebhookDto']>
      title={webhook ? `Change the webhook ${webhook.name}` : 'Add a webhook for events'}
      submitLabel={webhook ? 'Save' : 'Add the webhook'}
      done={webhook ? 'Webhook saved.' : 'Webhook added.'}
      onDone={onDone}
      act={(api, values) => {
        const body = bodyOf(values);
        if (webhook === null) return api.post('/api/v1/event-webhooks', { body });
        return api.patch('/api/v1/event-webhooks/{id}', { path: { id: webhook.id }, body }, webhook.revision);
      }}
    >
      <TextField
        label="Name"
        name="name"
        required
        maxLength={100}
        placeholder="chat"
        defaultValue={webhook?.name}
      />
      <TextField
        label="URL"
        name="url"
        type="url"
        required
        placeholder="https://hooks.example.com/repotide"
        defaultValue={webhook?.url}
        hint="Receives each event as a POST that is signed. A private address must be listed in OUTGOING_ALLOWED_HOSTS."
      />
      <fieldset>
        <legend>Send it when</legend>
        {EVENTS.map(([event, text]) => (
          <CheckField
            key={event}
            label={text}
            name={event}
            isChecked={webhook?.events.includes(event) ?? event === 'repository.failing'}
          />
        ))}
      </fieldset>
      <LinesField
        label="Only projects (one group or project a line)"
        name="scope"
        value={webhook?.scope ?? []}
        placeholder="platform"
        hint="Empty: all."
      />
    </FormDialog>
  );
}

function bodyOf(values: Values) {
  const { name = '', url = '' } = values;
  const scope = linesOf(values, 'scope');
  const events = EVENTS.map(([event]) => event).filter((event) => values[event] === 'yes');
  return { name, url, events, scope: scope.length > 0 ? scope : null };
}
