import { Module } from '@nestjs/common';
import { ClusterController } from './cluster.controller.js';
import { SignOfLifeService } from './sign-of-life.service.js';

@Module({ controllers: [ClusterController], providers: [SignOfLifeService] })
export class ClusterModule {}
