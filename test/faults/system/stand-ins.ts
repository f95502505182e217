import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import {
  type StandInAnswerMessage,
  type StandInCalls,
  type StandInLog,
  type StandInName,
  type StoreWrite,
} from './stand-ins-protocol.js';

const CHILD = fileURLToPath(new URL('./stand-ins-child.ts', import.meta.url));
const REGISTER = new URL('../../support/register-typescript.mjs', import.meta.url).href;

/** The external systems that Repotide calls over HTTP. */
export class StandIns {
  readonly storeWrites: StoreWrite[] = [];
  readonly timesEmbedded = new Map<string, number>();
  readonly struck: Record<StandInName, number> = { gitlab: 0, embedding: 0, qdrant: 0 };
  readonly violations = new Set<string>();
  gitlabRequests = 0;
  private readonly waiting = new Map<number, (answer: StandInAnswerMessage) => void>();
  private calls = 0;

  private constructor(private readonly child: ChildProcess) {
    child.on('message', (message) => {
      const answer = message as StandInAnswerMessage;
      this.waiting.get(answer.number)?.(answer);
      this.waiting.delete(answer.number);
    });
    child.on('exit', () => {
      for (const [number, settle] of this.waiting) settle({ number, failure: 'The stand-ins have ended.' });
    });
  }

  static async start() {
    const child = fork(CHILD, [], {
      serialization: 'advanced',
      execArgv: ['--no-warnings', '--import', REGISTER],
    });
    const standIns = new StandIns(child);
    return { standIns, addresses: await standIns.call('start') };
  }

  async call<Name extends keyof StandInCalls>(
    name: Name,
    ...parameters: Parameters<StandInCalls[Name]>
  ): Promise<Awaited<ReturnType<StandInCalls[Name]>>> {
    const number = this.calls++;
    const answer = await new Promise<StandInAnswerMessage>((resolve, reject) => {
      this.waiting.set(number, resolve);
      this.child.send({ number, name, parameters }, (error) => error && reject(error));
    });
    if ('failure' in answer) throw new Error(answer.failure);
    return answer.result as Awaited<ReturnType<StandInCalls[Name]>>;
  }

  /** Moves the records of the servers into this process, so that the memory of theirs does not grow. */
  async collectLog(): Promise<void> {
    const log: StandInLog = await this.call('drainLog');
    this.storeWrites.push(...log.storeWrites);
    for (const text of log.embeddedTexts)
      this.timesEmbedded.set(text, (this.timesEmbedded.get(text) ?? 0) + 1);
    for (const violation of log.violations) this.violations.add(violation);
    this.gitlabRequests += log.gitlabRequests;
    for (const name of Object.keys(log.struck) as StandInName[]) this.struck[name] += log.struck[name];
  }

  async stop(): Promise<void> {
    if (this.child.exitCode !== null) return;
    const ended = once(this.child, 'exit');
    this.child.send({ number: this.calls++, name: 'stop', parameters: [] });
    await ended;
  }
}
