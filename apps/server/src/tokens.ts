/** Injection tokens of the ports; `composition/` decides which adapter stands behind each. */
export const CLOCK = Symbol('Clock');
export const LOGGER = Symbol('Logger');
export const REPOSITORY_STORE = Symbol('RepositoryStore');
export const SCHEDULE_STORE = Symbol('ScheduleStore');
export const EXECUTION_STORE = Symbol('ExecutionStore');
export const MANIFEST_STORE = Symbol('ManifestStore');
export const HISTORY_STORE = Symbol('HistoryStore');
export const HISTORY_KEEPER = Symbol('HistoryKeeper');
export const TOKEN_STORE = Symbol('TokenStore');
export const VECTOR_STORE = Symbol('VectorStore');
export const EMBEDDER = Symbol('Embedder');
export const EMBEDDING_CACHE = Symbol('EmbeddingCache');
export const SOURCE_FACTORY = Symbol('SourceFactory');
export const LEASE_MANAGER = Symbol('LeaseManager');
export const DISPATCHER = Symbol('Dispatcher');
export const SCHEDULE_WAKER = Symbol('ScheduleWaker');
export const CONFIG = Symbol('Config');
export const PROGRESS = Symbol('ProgressDesk');
export const PROGRESS_BOARD = Symbol('ProgressBoard');
export const RUNNER_PORTS = Symbol('RunnerPorts');
export const RUN_HANDLERS = Symbol('RunHandlers');
export const DISPATCH_CONSUMER = Symbol('DispatchConsumer');
export const HINTS = Symbol('Hints');
export const LEADER_ELECTION = Symbol('LeaderElection');
/** Boolean: this process alone works on the database. */
export const IS_DATA_EXCLUSIVE = Symbol('IsDataExclusive');
export const POD_DIRECTORY = Symbol('PodDirectory');
