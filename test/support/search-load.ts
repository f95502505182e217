import { setTimeout as sleep } from 'node:timers/promises';
import { type Service } from './installation.js';

export interface KnownText {
  path: string;
  text: string;
}

interface Hit {
  path: string;
  score: number;
  text: string;
}

const PAUSE_MS = 15;
/** Cosine similarity of a text with itself; between two models it is far lower. */
const SAME = 0.99;

/**
 * Searches one service after the other for texts of the index, without pause, and records every answer that is not exactly
 * this text. A query embedded with another model than the index gets an error or another text.
 */
export class SearchLoad {
  readonly failures: string[] = [];
  readonly answered = new Map<Service, number>();
  private readonly stopping = new AbortController();
  private readonly running: Promise<void>[] = [];

  constructor(private readonly texts: readonly KnownText[]) {}

  /** @returns a function that excludes the service; it resolves when no search is in progress there. */
  add(service: Service): () => Promise<void> {
    const leaving = new AbortController();
    const run = this.ask(service, AbortSignal.any([leaving.signal, this.stopping.signal]));
    this.running.push(run);
    return async () => {
      leaving.abort();
      await run;
    };
  }

  /** Resolves when each service has answered so many more searches. */
  async more(searches: number, ...services: Service[]): Promise<void> {
    const wanted = services.map((service) => (this.answered.get(service) ?? 0) + searches);
    while (services.some((service, index) => (this.answered.get(service) ?? 0) < wanted[index]!))
      await sleep(PAUSE_MS);
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await Promise.all(this.running);
  }

  private async ask(service: Service, signal: AbortSignal): Promise<void> {
    for (let turn = 0; !signal.aborted; turn++) {
      const known = this.texts[(turn * 7) % this.texts.length]!;
      const problem = await this.problemOf(service, known);
      if (problem !== null) this.failures.push(problem);
      this.answered.set(service, (this.answered.get(service) ?? 0) + 1);
      await sleep(PAUSE_MS);
    }
  }

  private async problemOf(service: Service, { path, text }: KnownText): Promise<string | null> {
    try {
      const answer = await service.call<{ items?: Hit[] }>('POST', '/api/v1/search', {
        query: text,
        limit: 3,
      });
      const [best] = answer.body.items ?? [];
      if (answer.status !== 200) return `${answer.status} ${JSON.stringify(answer.body)}`;
      if (best?.text === text && best.score > SAME) return null;
      return `${path} was answered with ${best?.path} at ${best?.score}`;
    } catch (error) {
      return String(error);
    }
  }
}
