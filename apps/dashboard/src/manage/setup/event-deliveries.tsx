import { useLayoutEffect, useRef } from 'preact/hooks';
import { useElementId } from '../../parts/element-id.js';
import { type Schemas } from '../../api/schema.js';
import { ActionButton } from '../../parts/action-button.js';
import { DataTable } from '../../parts/data-table.js';
import { Instant } from '../../parts/elements.js';
import { LoadableList } from '../../parts/loadable.js';
import { useApi } from '../../state/use-load.js';

type Delivery = Schemas['EventDeliveryDto'];

const POLL_MS = 5_000;
const SHOWN = 50;

interface DeliveriesProps {
  webhook: Schemas['EventWebhookDto'];
  onClose: () => void;
}

/** What was sent to a webhook, with the answers. */
export function Deliveries({ webhook: { id, name }, onClose }: DeliveriesProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useElementId();
  const query = { limit: SHOWN };
  const deliveries = useApi('/api/v1/event-webhooks/{id}/deliveries', { path: { id }, query }, POLL_MS);
  useLayoutEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} class="is-wide" aria-labelledby={titleId} onClose={onClose}>
      <h2 id={titleId}>Deliveries to {name}</h2>
      <LoadableList of={deliveries} empty="Nothing was sent within the last seven days.">
        {(items) => (
          <DataTable
            caption={`Deliveries to ${name}, newest first`}
            rows={items}
            keyOf={(delivery) => delivery.id}
            columns={[
              { title: 'Event', cell: ({ event_type }) => <code>{event_type}</code> },
              { title: 'Written', isExtra: true, cell: ({ created_at }) => <Instant at={created_at} /> },
              { title: 'Result', cell: (delivery) => <Result delivery={delivery} /> },
              {
                title: 'Action',
                cell: (delivery) =>
                  delivery.status !== 'pending' && (
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
                  ),
              },
            ]}
          />
        )}
      </LoadableList>
      <div class="row end">
        <button type="button" onClick={() => dialog.current?.close()}>
          Close
        </button>
      </div>
    </dialog>
  );
}

function Result({
  delivery: { status, attempts, error, next_attempt_at, last_attempt_at },
}: {
  delivery: Delivery;
}) {
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
