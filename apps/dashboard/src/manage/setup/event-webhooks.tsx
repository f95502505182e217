import { useState } from 'preact/hooks';
import { ApiFailure } from '../../api/api.js';
import { type Schemas } from '../../api/schema.js';
import { ActionButton, RemoveButton } from '../../parts/action-button.js';
import { Instant, Section } from '../../parts/elements.js';
import { formatNumber } from '../../parts/format.js';
import { LoadableTable } from '../../parts/loadable.js';
import { useApi } from '../../state/use-load.js';
import { DialogButton } from '../forms/form.js';
import { Deliveries } from './event-deliveries.js';
import { EventWebhookDialog } from './event-webhook-dialog.js';
import { ShownOnce } from './shown-once.js';

type Webhook = Schemas['EventWebhookDto'];
type NewWebhook = Schemas['NewEventWebhookDto'];

const POLL_MS = 15_000;

/** Addresses that receive events. */
export function EventWebhooks() {
  const webhooks = useApi('/api/v1/event-webhooks', { query: { limit: 100 } }, POLL_MS);
  const [created, setCreated] = useState<NewWebhook | null>(null);
  const show = (webhook: NewWebhook): void => {
    setCreated(webhook);
    webhooks.reload();
  };
  return (
    <Section title="Webhooks for events">
      <p>
        <DialogButton label="Add a webhook">
          <EventWebhookDialog
            webhook={null}
            onDone={(webhook) => ('secret' in webhook ? show(webhook) : webhooks.reload())}
          />
        </DialogButton>
      </p>
      {created && (
        <ShownOnce what="The secret that signs the events of" {...created} onClose={() => setCreated(null)} />
      )}
      <LoadableTable
        of={webhooks}
        empty="None. A webhook receives an event for each finished run, and when a repository fails or drifts."
        caption="Webhooks for events"
        columns={[
          {
            title: 'Name',
            cell: ({ name, url }) => (
              <>
                {name}
                <div class="reason breaking">{new URL(url).host}</div>
              </>
            ),
          },
          { title: 'Events', isExtra: true, cell: ({ events }) => events.join(', ') },
          { title: 'State', cell: (webhook) => <State webhook={webhook} /> },
          {
            title: 'Actions',
            cell: (webhook) => <Actions webhook={webhook} onDone={webhooks.reload} onSecret={show} />,
          },
        ]}
      />
    </Section>
  );
}

function State({ webhook }: { webhook: Webhook }) {
  const { disabled_reason, failing_since, last_delivered_at, pending_count } = webhook;
  if (disabled_reason !== null) return <span class="bad">disabled: {disabled_reason}</span>;
  return (
    <>
      {failing_since === null ? (
        <>
          works, last delivery <Instant at={last_delivered_at} absent="none yet" />
        </>
      ) : (
        <span class="bad">
          fails since <Instant at={failing_since} />
        </span>
      )}
      {pending_count > 0 && <span class="faint">{`, ${formatNumber(pending_count)} waiting`}</span>}
    </>
  );
}

interface ActionsProps {
  webhook: Webhook;
  onDone: () => void;
  onSecret: (webhook: NewWebhook) => void;
}

function Actions({ webhook, onDone, onSecret }: ActionsProps) {
  const { id, name, is_enabled, revision } = webhook;
  const common = { subject: name, role: 'admin', onDone } as const;
  const path = { id };
  return (
    <div class="row">
      <ActionButton
        {...common}
        label="Test"
        done="the receiver accepted a test event."
        act={async (api) => {
          const { status, error } = await api.post('/api/v1/event-webhooks/{id}/test', { path });
          if (status !== 'delivered') throw new ApiFailure(error ?? '', 0, 'event_not_delivered');
        }}
      />
      <DialogButton label="Deliveries" subject={name}>
        <Deliveries webhook={webhook} />
      </DialogButton>
      <DialogButton label="Change" subject={name}>
        <EventWebhookDialog webhook={webhook} onDone={onDone} />
      </DialogButton>
      <ActionButton
        {...common}
        label={is_enabled ? 'Disable' : 'Enable'}
        done={is_enabled ? 'disabled; events are no longer sent.' : 'enabled; what waited for it is sent.'}
        act={(api) =>
          api.patch('/api/v1/event-webhooks/{id}', { path, body: { is_enabled: !is_enabled } }, revision)
        }
      />
      <ActionButton
        {...common}
        label="New secret"
        confirmation={{
          title: `Give ${name} a new secret?`,
          text: 'From now on events are signed with it. The receiver refuses them until it knows the new secret.',
          confirmLabel: 'Make a new secret',
        }}
        done="has a new secret."
        act={async (api) => onSecret(await api.post('/api/v1/event-webhooks/{id}/rotate-secret', { path }))}
      />
      <RemoveButton
        kind="webhook"
        name={name}
        text="Events are no longer sent to it, and the list of its deliveries is deleted."
        act={(api) => api.delete('/api/v1/event-webhooks/{id}', { path })}
        onDone={onDone}
      />
    </div>
  );
}
