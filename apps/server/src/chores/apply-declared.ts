import { Inject, Injectable } from '@nestjs/common';
import { DeclarationRounds, type DeclaredChange } from '@adapters/postgres';
import { Clock, Logger } from '@core/domain';
import { type Config } from '@platform/config';
import { runApplyCommand, type ApplyResult } from '../declarations/apply-command.js';
import { digestOfFiles } from '../declarations/declared-files.js';
import { OwnApi } from '../declarations/own-api.js';
import { CONFIG } from '../injection-tokens.js';
import { Metrics } from '../metrics/metrics.js';
import { type Chore } from './chore.js';

/** Changes of the files are noticed after at most this time. */
export const LOOK_AT_FILES_SECONDS = 10;
/** Name of the declaration that the files of the installation are. */
export const INSTALLATION = 'installation';
/** More are counted, and not listed. */
const MOST_CHANGES = 200;

/** Makes the service equal to the files of DECLARED_RESOURCES: at the start, when they change, and after an interval. */
@Injectable()
export class ApplyDeclared implements Chore {
  readonly name = 'declared resources';
  private former: { digest: string; atMs: number; report: string } | null = null;

  constructor(
    @Inject(CONFIG) private readonly config: Pick<Config, 'declared' | 'pod'>,
    private readonly clock: Clock,
    private readonly logger: Logger,
    private readonly api: OwnApi,
    private readonly rounds: DeclarationRounds,
    private readonly metrics: Metrics,
  ) {}

  async run(signal: AbortSignal): Promise<void> {
    const { path, mode, everySeconds } = this.config.declared;
    const access = path === undefined ? null : this.api.access();
    if (path === undefined || access === null) return;
    const digest = await digestOfFiles(path);
    const now = this.clock.monotonicMs();
    if (this.former?.digest === digest && now - this.former.atMs < everySeconds * 1000) return;
    const result = await runApplyCommand({ ...access, path, mode, declaration: INSTALLATION }, signal);
    await this.record(result);
    this.former = { digest, atMs: now, report: this.report(result) };
  }

  /** Another pod compares now. This one begins anew when it leads again. */
  standBy(): void {
    this.former = null;
    this.metrics.declaredDifferences.set(0);
    this.metrics.declaredFailures.set(0);
  }

  private async record({ changes, error }: ApplyResult): Promise<void> {
    const isReport = this.config.declared.mode === 'report';
    const failed = changes.filter((change) => change.error !== null);
    const made = isReport ? [] : changes.filter((change) => change.error === null);
    for (const { isDrift } of made) this.metrics.declaredChanges.inc({ cause: isDrift ? 'drift' : 'files' });
    this.metrics.declaredFailures.set(error === null ? failed.length : 1);
    this.metrics.declaredDifferences.set(changes.length - made.length);
    const status =
      error !== null || failed.length > 0 ? 'failed' : changes.length > made.length ? 'differs' : 'equal';
    const round = { declaration: INSTALLATION, status, podName: this.config.pod.name, error } as const;
    await this.rounds.record({ ...round, changes: changes.slice(0, MOST_CHANGES) }, made.length > 0);
  }

  /** Logs what was found, unless the former comparison found the same. @returns what was found. */
  private report({ changes, forgotten, error }: ApplyResult): string {
    const report = JSON.stringify([changes, forgotten, error]);
    if (report === this.former?.report) return report;
    if (error !== null) this.logger.error({ error }, 'the declared resources cannot be applied');
    for (const change of changes) this.logChange(change);
    if (forgotten > 0)
      this.logger.warn(
        { count: forgotten },
        'resources are no longer declared; DECLARED_RESOURCES_MODE=prune deletes them',
      );
    return report;
  }

  private logChange({ action, kind, key, isDrift, fields, error }: DeclaredChange): void {
    const isReport = this.config.declared.mode === 'report';
    const found = { action, kind, key, fields: fields.map(({ field }) => field) };
    if (error !== null) this.logger.error({ ...found, error }, 'a declared resource could not be applied');
    else if (isDrift)
      this.logger.warn(
        found,
        `a declared resource was changed by hand${isReport ? '' : ' and is as declared again'}`,
      );
    else if (isReport) this.logger.warn(found, 'a resource differs from its declaration');
    else this.logger.info(found, 'a declared resource was applied');
  }
}
