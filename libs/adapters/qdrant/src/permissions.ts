import { RepotideError, type Logger } from '@core/domain';

/** What a key may lack, and what follows from that. Repotide works without it. */
const CONSEQUENCES = {
  list_collections:
    'QDRANT_API_KEY may not list collections: a registration cannot tell an alias from a collection, and collections ' +
    'that a restored backup of Postgres left behind are not found.',
  create_collections:
    'QDRANT_API_KEY may not create collections: make each collection beforehand and register with its name, or allow ' +
    'the key to manage collections.',
  change_aliases:
    'QDRANT_API_KEY may not read or change aliases: direct queries need the physical name of the index ' +
    '(GET /api/v1/collections). Searches through Repotide are not affected.',
} as const;

type Permission = keyof typeof CONSEQUENCES;

/** Remembers what the server forbade last, because no request asks for the rights of a key. */
export class Permissions {
  private readonly refused = new Set<Permission>();

  constructor(private readonly logger: Logger) {}

  /** The answer, or `otherwise` when the key may not have it. */
  async optional<T, U>(permission: Permission, answer: Promise<T>, otherwise: U): Promise<T | U> {
    try {
      return await this.watch(permission, answer);
    } catch (error) {
      if (!isForbidden(error)) throw error;
      return otherwise;
    }
  }

  /** Passes the answer on, and notes whether the key was allowed to have it. */
  async watch<T>(permission: Permission, answer: Promise<T>): Promise<T> {
    try {
      const received = await answer;
      this.refused.delete(permission);
      return received;
    } catch (error) {
      if (isForbidden(error) && !this.refused.has(permission)) {
        this.refused.add(permission);
        this.logger.warn({ permission }, CONSEQUENCES[permission]);
      }
      throw error;
    }
  }

  /** One sentence for each missing permission. */
  missing(): string[] {
    return [...this.refused].map((permission) => CONSEQUENCES[permission]);
  }
}

function isForbidden(error: unknown): boolean {
  return error instanceof RepotideError && error.code === 'vector_store_forbidden';
}
