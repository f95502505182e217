import { setTimeout as sleep } from 'node:timers/promises';
import { type Random } from '@devkit';
import { type InjectedFault } from '../check/facts.js';
import { type Cluster } from '../system/cluster.js';
import { type Fault } from './fault.js';
import { NETWORK_FAULTS } from './network-faults.js';
import { POD_FAULTS } from './pod-faults.js';
import { STORE_FAULTS } from './store-faults.js';
import { UPSTREAM_FAULTS } from './upstream-faults.js';

/** Between the starts of two faults. */
const PAUSE_MS = { least: 1_000, most: 8_000 };
/** With more faults at once, no guarantee of the system would apply. */
const MOST_AT_ONCE = 3;

const ALL_FAULTS = [...POD_FAULTS, ...STORE_FAULTS, ...NETWORK_FAULTS, ...UPSTREAM_FAULTS];

/** Injects random faults and ends each one after some time. */
export class Storm {
  readonly injected: InjectedFault[] = [];
  private readonly under = new Map<Fault['group'], Promise<void>>();

  constructor(
    private readonly cluster: Cluster,
    private readonly random: Random,
    private readonly onFault: (injected: InjectedFault) => void = () => undefined,
  ) {}

  /** Resolves when the signal has fired and the last fault is over. */
  async rage(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const { least, most } = PAUSE_MS;
      await sleep(least + this.random.next() * (most - least), undefined, { signal }).catch(() => undefined);
      if (!signal.aborted && this.under.size < MOST_AT_ONCE) await this.strike(this.pick());
    }
    await Promise.all(this.under.values());
  }

  /** Injects the named fault; resolves when it is over. @throws when it is unknown or not possible now. */
  async inflict(name: string): Promise<void> {
    const fault = ALL_FAULTS.find((known) => known.name === name);
    if (fault === undefined || !(await this.strike(fault)))
      throw new Error(`No fault "${name}" is possible now.`);
    await this.under.get(fault.group);
  }

  private pick(): Fault {
    const free = ALL_FAULTS.filter(({ group }) => !this.under.has(group));
    let share = this.random.next() * free.reduce((sum, { weight }) => sum + weight, 0);
    return free.find(({ weight }) => (share -= weight) < 0) ?? free[0]!;
  }

  private async strike(fault: Fault): Promise<boolean> {
    const active = await fault.strike(this.cluster, this.random);
    if (active === null) return false;
    const from = Date.now();
    const injected: InjectedFault = {
      fault: fault.name,
      target: active.target,
      from,
      to: fault.removesOnePod ? from : Infinity,
    };
    this.injected.push(injected);
    this.onFault(injected);
    const over = active.over
      // A fault may fail when another one already removed its target.
      .catch(() => undefined)
      .finally(() => {
        if (!fault.removesOnePod) injected.to = Date.now();
        this.under.delete(fault.group);
      });
    this.under.set(fault.group, over);
    return true;
  }
}
