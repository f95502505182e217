/**
 * The terms of Repotide. Tables, endpoints, logs and docs use these and no others.
 *
 * - repository: one GitLab project at one branch, with its file rules and its collection.
 * - discovery: a group, or a whole host, whose projects are registered automatically. To retire a repository is to delete
 *   it after its project has been missing for the grace period.
 * - schedule: a `schedule_sessions` row: a five-field cron expression, a time zone, active or not.
 * - tick: one instant at which a schedule is due; its identity is (schedule, scheduledFor).
 * - execution: a `schedule_execution_logs` row; progress calls its id `task_id`. Run: the work of an execution on its
 *   repository. Attempt: one try of a run.
 * - lease: the lock on a repository, renewed until its run ends.
 * - fence: a number that grows with each attempt; every write of a run includes it.
 * - manifest: the rows with the indexed blob SHA of each path, or the reason why the path is not indexed.
 * - chunk: a piece of a file's text. Point: the same piece in the vector store, under a deterministic id.
 * - collection: a named set of points; its active generation contains them.
 * - generation: one build of a collection with one embedding model; a new model is built beside the active one.
 * - incarnation: the identity of one life of a collection in the store; dropped and created again, it is another one.
 * - drift: a difference between the store and what the last run left there.
 * - source: the code host that a repository is read from.
 * - file version: the blob SHA and index settings that the points of one file were made from.
 */
export {};
