import { type Random } from '@devkit';
import { type Cluster } from '../system/cluster.js';

/** Harm that has begun. */
export interface Blow {
  target: string;
  /** Settles when the harm is taken away again. */
  over: Promise<void>;
}

/** One way to do harm. */
export interface Fault {
  name: string;
  /** How often it is chosen, against the others. */
  weight: number;
  /** Faults of one group never overlap. */
  group: 'pod' | 'redis' | 'postgres' | 'network' | 'gitlab' | 'embedding' | 'qdrant';
  /** The take-over bound holds from the blow on, as nothing but one pod is gone. */
  isOnePodGone?: boolean;
  /** Null: nothing here to harm now. */
  strike(cluster: Cluster, random: Random): Blow | null | Promise<Blow | null>;
}

/** A length of time in milliseconds between two shares of the lease's life. */
export function shareOfLease(cluster: Cluster, random: Random, least: number, most: number): number {
  return cluster.options.timings.leaseTtl * 1000 * (least + random.next() * (most - least));
}
