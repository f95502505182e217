import { count, flag, instant, list, oneOf, shown, uuid } from '../http/fields.js';
import { model } from '../http/model.js';

const PROCESS_ROLES = ['api', 'scheduler', 'worker'];

/** Three heartbeat intervals of 15 s: two heartbeats may be lost or late. */
export const ALIVE_WITHIN_SECONDS = 45;

/** A row of `pods`: a process of the service. */
export const PodDto = model('PodDto', {
  pod_name: shown('Name of the pod; owner of leases and executions.', 'repotide-0'),
  boot_id: uuid('Id of this start of the process.'),
  roles: list(oneOf<string>(PROCESS_ROLES, 'A role.'), 'Roles of the process.', { example: PROCESS_ROLES }),
  version: shown('Version of the program.', '0.1.0'),
  is_leader: flag('Whether it is the leader, which does the periodic work for all pods.', true),
  is_alive: flag(
    `Whether it sent a heartbeat within ${ALIVE_WITHIN_SECONDS} s. A pod that stopped in order is not listed.`,
    true,
  ),
  started_at: instant('When it started.'),
  seen_at: instant('When it last sent a heartbeat.'),
});

export const ClusterDto = model('ClusterDto', {
  mode: oneOf(['standalone', 'distributed'], 'Mode of the installation, as its environment sets it.'),
  version: shown('Version of the pod that answers.', '0.1.0'),
  leader: shown('The leader; null when there is none, or it is unknown.', 'repotide-0').nullable(),
  queue_depth: count('Runs that wait for a worker; null when the queue does not answer.', 3).nullable(),
  pods: list(PodDto, 'The processes, by name. One without a heartbeat is listed for a day.'),
});
