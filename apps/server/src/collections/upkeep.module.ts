import { Module } from '@nestjs/common';
import { UpkeepService } from './upkeep.service.js';

@Module({ providers: [UpkeepService] })
export class UpkeepModule {}
