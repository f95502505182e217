import { type Schemas } from '../../api/schema.js';
import { ActionButton } from '../../parts/action-button.js';
import { Instant } from '../../parts/elements.js';
import { LoadableTable } from '../../parts/loadable.js';
import { ModalDialog } from '../../parts/modal-dialog.js';
import { useApi } from '../../state/use-load.js';
import { useClose } from '../forms/form.js';

type Delivery = Schemas['EventDeliveryDto'];

const POLL_MS = 5_000;
const SHOWN = 50;

/** What was sent to a webhook, with the answers. */
export function Deliveries({ webhook: { id, name } }: { webhook: Schemas['EventWebhookDto'] }) {
  const query = { limit: SHOWN };
  const deliveries = useApi('/api/v1/event-webhooks/{id}/deliveries', { path: { id }, query }, POLL_MS);
  const retry = (delivery: Delivery) => (
    <ActionButton
      label="Send again"
      subject={delivery.event_type}
      role="admin"
      done="is sent again."
      act={(api) =>
        api.post('/api/v1/event-webhooks/{id}/deliveries/{delivery_id}/retry', {
          path: { id, delivery_id: delivery.id },
        })
      }
      onDone={deliveries.reload}
    />
  );
  return (
    <ModalDialog title={`Deliveries to ${name}`} isWide onClose={useClose()}>
      {(close) => (
        <>
          <LoadableTable
            of={deliveries}
            empty="Nothing was sent within the last seven days."
            caption={`Deliveries to ${name}, newest first`}
            columns={[
              { title: 'Event', cell: ({ event_type }) => <code>{event_type}</code> },
              { title: 'Written', isExtra: true, cell: ({ created_at }) => <Instant at={created_at} /> },
              { title: 'Result', cell: (delivery) => <Result {...delivery} /> },
              { title: 'Action', cell: (delivery) => delivery.status !== 'pending' && retry(delivery) },
            ]}
          />
          <div class="row end">
            <button type="button" onClick={close}>
              Close
            </button>
          </div>
        </>
      )}
    </ModalDialog>
  );
}

function Result({ status, attempts, error, next_attempt_at, last_attempt_at }: Delivery) {
  if (status === 'delivered') {
    return (
      <>
        delivered <Instant at={last_attempt_at} />
      </>
    );
  }
  return (
    <span class={error === null ? '' : 'bad'}>
      {error ?? 'waits'} {attempts > 0 && <span class="faint">{`${attempts} sent.`}</span>}{' '}
      {next_attempt_at !== null && (
        <>
          Next attempt <Instant at={next_attempt_at} />
        </>
      )}
    </span>
  );
}
