import { cutOff } from './cut-off.scenarios.js';
import { edits } from './edits.scenarios.js';
import { postgresFailOver, redisDemoted, redisFailOver } from './fail-over.scenarios.js';
import { killHolder, killHolderInKubernetes, zombie } from './lost-pod.scenarios.js';
import { LOST_STORES } from './lost-store.scenarios.js';
import { rollingRestart } from './rolling.scenarios.js';
import { type Scenario } from './scenario.js';
import { smoke } from './smoke.scenario.js';
import { storm } from './storm.scenario.js';
import { fastRun, tenPods } from './ticks.scenarios.js';

export const SCENARIOS: readonly Scenario[] = [
  storm,
  tenPods,
  fastRun,
  killHolder,
  killHolderInKubernetes,
  zombie,
  ...LOST_STORES,
  cutOff,
  redisDemoted,
  redisFailOver,
  postgresFailOver,
  rollingRestart,
  edits,
  smoke,
];
