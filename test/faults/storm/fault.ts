import { type Random } from '@devkit';
import { type Cluster } from '../system/cluster.js';

/** A fault in progress. */
export interface ActiveFault {
  target: string;
  /** Resolves when the fault is over. */
  over: Promise<void>;
}

/** One kind of fault. */
export interface Fault {
  name: string;
  /** Relative frequency. */
  weight: number;
  /** Faults of one group never overlap. */
  group: 'pod' | 'redis' | 'postgres' | 'network' | 'gitlab' | 'embedding' | 'qdrant';
  /** The fault only removes one pod, so the take-over bound holds from its start and is not extended by its duration. */
  removesOnePod?: boolean;
  /** Null when the fault is not possible now. */
  strike(cluster: Cluster, random: Random): ActiveFault | null | Promise<ActiveFault | null>;
}

/** A random duration in milliseconds: the lease's lifetime times a factor between `least` and `most`. */
export function shareOfLease(cluster: Cluster, random: Random, least: number, most: number): number {
  return cluster.options.timings.leaseTtl * 1000 * (least + random.next() * (most - least));
}
