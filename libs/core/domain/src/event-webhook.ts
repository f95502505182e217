import { type Scope } from './scope.js';

/** What a webhook can be sent. */
export const EVENT_TYPES = [
  'run.finished',
  'repository.failing',
  'repository.recovered',
  'index.drifted',
  'index.lost',
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

/** The event that a person sends to try a webhook. */
export const TEST_EVENT = 'webhook.test';

/** An `event_webhooks` row without its secret: a server that receives events by POST. */
export interface EventWebhook {
  id: string;
  name: string;
  url: string;
  events: EventType[];
  /** The repositories whose events it gets; null: all. */
  scope: Scope;
  isEnabled: boolean;
  /** Why it was disabled; null while it is enabled. */
  disabledReason: string | null;
  /** Since when no delivery has succeeded; null: the last one did. */
  failingSince: Date | null;
  lastDeliveredAt: Date | null;
  /** Deliveries that wait for their next attempt. */
  pendingCount: number;
  revision: number;
  createdAt: Date;
  updatedAt: Date;
}

export type NewEventWebhook = Pick<EventWebhook, 'name' | 'url' | 'events' | 'scope'>;
export type EventWebhookChanges = Partial<NewEventWebhook & Pick<EventWebhook, 'isEnabled'>>;

export const EVENT_DELIVERY_STATUSES = ['pending', 'delivered', 'failed'] as const;
export type EventDeliveryStatus = (typeof EVENT_DELIVERY_STATUSES)[number];

/** An `event_deliveries` row: one event for one webhook. */
export interface EventDelivery {
  /** The receiver gets the same id with each attempt. */
  id: string;
  webhookId: string;
  eventType: EventType | typeof TEST_EVENT;
  status: EventDeliveryStatus;
  attempts: number;
  /** Null: there is none. */
  nextAttemptAt: Date | null;
  /** HTTP status of the last answer; null: there was none. */
  responseStatus: number | null;
  /** Why the last attempt failed, without any part of the answer. */
  error: string | null;
  /** The JSON that is sent. */
  body: string;
  createdAt: Date;
  lastAttemptAt: Date | null;
}
