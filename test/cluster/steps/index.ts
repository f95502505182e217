import { drain, takeOver } from './lost-pods.js';
import { helmTest, install, scheduledRun } from './install.js';
import { refusedInstallation, uninstall } from './removal.js';
import { scale } from './scale.js';
import { type Step } from './step.js';
import { failedUpgrade, rollback, rollingRestart, upgrade } from './upgrades.js';

/** In this order: each step finds the release as the former one left it. */
export const STEPS: readonly Step[] = [
  ...[install, helmTest, scheduledRun, takeOver, rollingRestart, upgrade],
  ...[failedUpgrade, rollback, scale, drain, refusedInstallation, uninstall],
];
