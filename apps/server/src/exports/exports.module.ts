import { Module } from '@nestjs/common';
import { ExecutionsModule } from '../executions/executions.module.js';
import { ExportsController } from './exports.controller.js';

@Module({ imports: [ExecutionsModule], controllers: [ExportsController] })
export class ExportsModule {}
