import { ApiProperty } from '@nestjs/swagger';
import { type SeenPod } from '@core/domain';
import { ApiCount, ApiInstant, ApiText, ApiUuid, NULLABLE } from '../http/api-fields.js';

const PROCESS_ROLES = ['api', 'scheduler', 'worker'];
const MODES = ['standalone', 'distributed'] as const;

/** Of its signs of life two may fail, as one may be late. */
const ALIVE_WITHIN_SECONDS = 45;

/** A `pods` row: a process of the service. */
export class PodDto {
  @ApiText('Name of the pod; owner of leases and executions.', 'repotide-0')
  pod_name!: string;

  @ApiUuid('Names this start of the process.')
  boot_id!: string;

  @ApiProperty({
    description: 'What it does.',
    type: 'array',
    items: { type: 'string', enum: PROCESS_ROLES },
    example: PROCESS_ROLES,
  })
  roles!: string[];

  @ApiText('Version of the program.', '0.1.0')
  version!: string;

  @ApiProperty({ description: 'Whether it is the leader of the chores.', type: Boolean, example: true })
  is_leader!: boolean;

  @ApiProperty({
    description: `Whether it showed itself within ${ALIVE_WITHIN_SECONDS} s. A pod that stopped in order is not listed.`,
    type: Boolean,
    example: true,
  })
  is_alive!: boolean;

  @ApiInstant('When it started.')
  started_at!: Date;

  @ApiInstant('When it showed itself last.')
  seen_at!: Date;

  static of(pod: SeenPod, leader: string | null): PodDto {
    const isAlive = pod.secondsSinceSeen <= ALIVE_WITHIN_SECONDS;
    return {
      pod_name: pod.podName,
      boot_id: pod.bootId,
      roles: pod.roles,
      version: pod.version,
      is_leader: isAlive && pod.podName === leader,
      is_alive: isAlive,
      started_at: pod.startedAt,
      seen_at: pod.seenAt,
    };
  }
}

export class ClusterDto {
  @ApiProperty({ description: 'As the environment says.', enum: MODES })
  mode!: (typeof MODES)[number];

  @ApiText('Version of the pod that answers.', '0.1.0')
  version!: string;

  @ApiText(
    'The pod that does the chores for all; null when nobody does, or it is unknown.',
    'repotide-0',
    NULLABLE,
  )
  leader!: string | null;

  @ApiCount('Runs that wait for a worker; null when the queue does not answer.', { example: 3, ...NULLABLE })
  queue_depth!: number | null;

  @ApiProperty({
    description: 'The processes, by name. Silent ones leave the list after a day.',
    type: [PodDto],
  })
  pods!: PodDto[];
}
