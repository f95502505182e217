import { EVENT_DELIVERY_STATUSES, EVENT_TYPES, TEST_EVENT } from '@core/domain';
import { scopeField } from '../access/token.schema.js';
import {
  count,
  flag,
  instant,
  list,
  namedOneOf,
  oneOf,
  shown,
  text,
  trimmedText,
  uuid,
} from '../http/fields.js';
import { changes, listOf, model, query } from '../http/model.js';
import { PAGE } from '../http/queries.js';

const FIELDS = {
  name: trimmedText(100, 'A name that distinguishes it from others.', { example: 'chat' }),
  url: text(2000, 'Receives each event as a POST. Its host must be allowed by `OUTGOING_ALLOWED_HOSTS`.', {
    format: 'uri',
    example: 'https://hooks.example.com/repotide',
  }),
  events: list(namedOneOf('EventType', EVENT_TYPES), 'What is sent.', {
    min: 1,
    max: EVENT_TYPES.length,
    example: ['run.finished'],
  }),
};
const scope = scopeField.nullable().meta({
  description:
    'Only events of projects that these patterns match, in the form of the scope of a token. Null: of all.',
});

export const CreateEventWebhookDto = model('CreateEventWebhookDto', { ...FIELDS, scope: scope.optional() });

export const UpdateEventWebhookDto = changes('UpdateEventWebhookDto', {
  name: FIELDS.name.optional(),
  url: FIELDS.url.optional(),
  events: FIELDS.events.optional(),
  scope: scope.optional(),
  is_enabled: flag(
    'False: nothing is sent. True: it is sent again, also when Repotide disabled it.',
  ).optional(),
});

/** An `event_webhooks` row without its secret. */
export const EventWebhookDto = model('EventWebhookDto', {
  id: uuid('Id of the webhook.'),
  ...FIELDS,
  scope,
  is_enabled: flag('Whether events are sent.', true),
  disabled_reason: shown(
    'Why nothing is sent; null while it is enabled.',
    'It was disabled by hand.',
  ).nullable(),
  failing_since: instant('Since when no delivery has succeeded; null: the last one did.').nullable(),
  last_delivered_at: instant('When a delivery last succeeded.').nullable(),
  pending_count: count('Deliveries that wait for their next attempt.', 0),
  revision: count('Increases with each edit; the `ETag`.', 1),
  created_at: instant('When it was created.'),
  updated_at: instant('When it was last edited.'),
});
export const EventWebhookListDto = listOf(EventWebhookDto);

export const NewEventWebhookDto = model('NewEventWebhookDto', {
  ...EventWebhookDto.shape,
  secret: shown('Signs the deliveries; shown only now.', 'whsec_…'),
});

export const EventDeliveryQueryDto = query({
  ...PAGE,
  status: oneOf(EVENT_DELIVERY_STATUSES, 'Only deliveries with this status.').optional(),
});

/** An `event_deliveries` row. */
export const EventDeliveryDto = model('EventDeliveryDto', {
  id: uuid('Its `webhook-id`, the same with each attempt.'),
  event_type: oneOf([...EVENT_TYPES, TEST_EVENT], 'What happened.', { example: 'run.finished' }),
  status: oneOf(
    EVENT_DELIVERY_STATUSES,
    '`pending`: another attempt follows. `delivered`: the receiver answered 2xx. `failed`: no attempt is left.',
    { example: 'delivered' },
  ),
  attempts: count('How often it was sent.', 1),
  next_attempt_at: instant('When it is sent again; null: never.').nullable(),
  response_status: count('HTTP status of the last answer; null: there was none.', 204).nullable(),
  error: shown('Why the last attempt failed.', 'The receiver answered 500.').nullable(),
  body: shown(
    'The JSON that is sent.',
    '{"type":"run.finished","timestamp":"2026-11-20T09:00:00.000Z","data":{}}',
  ),
  created_at: instant('When the event was written for this webhook.'),
  last_attempt_at: instant('When it was last sent.').nullable(),
});
export const EventDeliveryListDto = listOf(EventDeliveryDto);
