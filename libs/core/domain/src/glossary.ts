/**
 * The words of Repotide. Tables, endpoints, logs and docs use these and no others.
 *
 * - repository: one GitLab project at one branch, with its file rules and its collection.
 * - discovery: a group, or a whole host, whose projects are registered by themselves. To retire: to delete a repository
 *   that its discovery has missed for the whole grace.
 * - schedule: a `schedule_sessions` row: a five-field cron expression, a time zone, active or not.
 * - tick: one instant at which a schedule is due; its identity is (schedule, scheduledFor).
 * - execution: one run of one repository, a `schedule_execution_logs` row; progress calls its id `task_id`.
 * - lease: the lock on a repository, renewed while its run lives.
 * - fence: a number that grows with each attempt; every write of a run carries it.
 * - manifest: the rows that say which path at which blob SHA is in the index, or why not.
 * - chunk: a piece of a file's text. Point: the same piece in the vector store, under a deterministic id.
 * - collection: a named set of points; at any time those of its active generation.
 * - generation: one build of a collection with one embedding model; a new model is built beside the active one.
 * - source: the code host that a repository is read from.
 * - file version: what the points of one file were made from: blob SHA and index settings.
 */
export {};
