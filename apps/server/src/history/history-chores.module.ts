import { Module } from '@nestjs/common';
import { HistoryChoresService } from './history-chores.service.js';

@Module({ providers: [HistoryChoresService] })
export class HistoryChoresModule {}
