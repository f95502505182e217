import { type Clock, type RepotideError } from '@core/domain';
import { type Capabilities } from './protocol/capabilities.js';

/** After it, one run tries again: a token or a server may have been changed. */
const REMEMBERED_MS = 60 * 60 * 1000;
/** Bounds the memory; what is forgotten costs one request. */
const MAX_ENTRIES = 10_000;

/** What hosts allow, so that most runs need not ask. Lives as long as the process; losing it costs a request per project. */
export class HostMemory {
  readonly #refusals = new Map<string, { reason: string; untilMs: number }>();
  readonly #capabilities = new Map<string, { capabilities: Capabilities; untilMs: number }>();

  constructor(private readonly clock: Clock) {}

  /** Why git is not used with this host and credential; null: it may be tried. */
  refusalOf(host: string): string | null {
    return this.#current(this.#refusals, host)?.reason ?? null;
  }

  /** Remembers a failure that every run with this host and credential would meet. */
  recordFailure(host: string, { kind, code }: RepotideError): void {
    const isOfHost = ['unauthorized', 'forbidden'].includes(kind) || code === 'git_protocol_unsupported';
    if (isOfHost) this.#keep(this.#refusals, host, { reason: code });
    this.#capabilities.clear();
  }

  async capabilitiesOf(repository: string, ask: () => Promise<Capabilities>): Promise<Capabilities> {
    const known = this.#current(this.#capabilities, repository);
    if (known) return known.capabilities;
    const capabilities = await ask();
    this.#keep(this.#capabilities, repository, { capabilities });
    return capabilities;
  }

  #current<T extends { untilMs: number }>(entries: Map<string, T>, key: string): T | undefined {
    const entry = entries.get(key);
    return entry && entry.untilMs > this.#nowMs() ? entry : undefined;
  }

  #keep<T extends object>(entries: Map<string, T & { untilMs: number }>, key: string, entry: T): void {
    if (entries.size >= MAX_ENTRIES) entries.clear();
    entries.set(key, { ...entry, untilMs: this.#nowMs() + REMEMBERED_MS });
  }

  #nowMs(): number {
    return this.clock.now().getTime();
  }
}
