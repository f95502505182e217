import { type Random } from '@devkit';
import { type Cluster } from '../system/cluster.js';
import { type Branch } from '../system/code-base.js';

/** A registered repository with its schedule. */
export interface Registered {
  id: string;
  branch: Branch;
  scheduleIds: string[];
}

/** Small chunks, so that most files have several. */
const CHUNKS = { chunk_size: 1500, chunk_overlap: 200 };
const AT_ONCE = 8;

/** The users' setup: a repository and a schedule for each branch. */
export class Fleet {
  readonly registered: Registered[] = [];

  private count = 0;

  /** @param isCoincident every third repository gets two equal schedules. */
  constructor(
    readonly cluster: Cluster,
    private readonly isCoincident = false,
  ) {}

  /** @param expression of the schedule; null creates none. @throws when the API refuses. */
  async registerAll(expression: string | null): Promise<void> {
    const waiting = [...this.cluster.code.branches];
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        for (let branch = waiting.shift(); branch; branch = waiting.shift())
          await this.register(branch, expression);
      }),
    );
    this.registered.sort((one, other) => one.branch.name.localeCompare(other.branch.name));
  }

  async register(branch: Branch, expression: string | null): Promise<Registered> {
    const project_id = this.cluster.projects[branch.project]!.id;
    const id = await this.create('/repositories', { project_id, branch: branch.name, ...CHUNKS });
    const entry: Registered = { id, branch, scheduleIds: [] };
    const schedules = expression === null ? 0 : this.isCoincident && ++this.count % 3 === 0 ? 2 : 1;
    while (entry.scheduleIds.length < schedules) {
      const schedule = { repository_id: id, cron_expression: expression };
      entry.scheduleIds.push(await this.create('/schedules', schedule));
    }
    this.registered.push(entry);
    return entry;
  }

  pick(random: Random): Registered {
    return random.pick(this.registered);
  }

  pickSchedule(random: Random): string {
    return random.pick(this.pick(random).scheduleIds);
  }

  private async create(path: string, body: object): Promise<string> {
    const answer = await this.cluster.api('POST', path, body);
    if (answer.status !== 201)
      throw new Error(`POST ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return String(answer.body['id']);
  }
}
