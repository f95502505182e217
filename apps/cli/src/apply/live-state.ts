import { answerOf, type RepotideClient, type Schemas } from '../service/client.js';
import { allPages, allRepositories } from '../service/repositories.js';

/** What the service has, read once before anything is planned. */
export interface LiveState {
  credentials: Schemas['CredentialDto'][];
  repositories: Schemas['RepositoryDto'][];
  schedules: Schemas['ScheduleDto'][];
  discoveries: Schemas['DiscoveryDto'][];
  /** What this declaration recorded last time. */
  former: Schemas['DeclaredResourceDto'][];
}

export async function readLiveState(client: RepotideClient, declaration: string): Promise<LiveState> {
  const [credentials, repositories, schedules, discoveries, former] = await Promise.all([
    allPages((query) => answerOf(client.GET('/api/v1/credentials', { params: { query } }))),
    allRepositories(client),
    allPages((query) => answerOf(client.GET('/api/v1/schedules', { params: { query } }))),
    allPages((query) => answerOf(client.GET('/api/v1/discoveries', { params: { query } }))),
    allPages((page) =>
      answerOf(client.GET('/api/v1/declarations', { params: { query: { ...page, declaration } } })),
    ),
  ]);
  return { credentials, repositories, schedules, discoveries, former };
}
