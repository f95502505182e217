import { Module } from '@nestjs/common';
import { ClusterController } from './cluster.controller.js';
import { PodHeartbeat } from './pod-heartbeat.service.js';

@Module({ controllers: [ClusterController], providers: [PodHeartbeat] })
export class ClusterModule {}
