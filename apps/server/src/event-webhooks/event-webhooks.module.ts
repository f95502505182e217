import { Global, Module } from '@nestjs/common';
import { EventSender } from './event-sender.service.js';

/** Global, because a chore and a route both send events. */
@Global()
@Module({ providers: [EventSender], exports: [EventSender] })
export class EventWebhooksModule {}
