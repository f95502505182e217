// Made of docs/openapi.json by `npm run docs:client`; edits are lost.

export interface paths {
    "/api/v1/executions/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export executions
         * @description All that match, newest first, streamed: CSV (text that a spreadsheet would run as a formula begins with an apostrophe) or a JSON array.
         */
        get: operations["exportExecutions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/executions/{id}/files": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the files that an execution could not index or left out
         * @description Ordered by path; the first thousand failed and the first thousand skipped ones are kept.
         */
        get: operations["listExecutionFiles"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/repositories": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List repositories */
        get: operations["listRepositories"];
        put?: never;
        /**
         * Register a repository
         * @description Checks that the project and the branch exist before anything is stored. A project of GitLab is named by its path or number; a repository at any other git host by `git_url`.
         */
        post: operations["createRepository"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/repositories/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show a repository */
        get: operations["getRepository"];
        put?: never;
        post?: never;
        /**
         * Delete a repository
         * @description It disappears at once with its schedules; its points are purged in the background, and `Location` is the address of its progress.
         */
        delete: operations["deleteRepository"];
        options?: never;
        head?: never;
        /**
         * Change a repository
         * @description The next run obeys the change. Project and collection cannot change: register another repository.
         */
        patch: operations["updateRepository"];
        trace?: never;
    };
    "/api/v1/repositories/{id}/files": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the files of a repository
         * @description Each path with its status: in the index, left out by a rule, or failed.
         */
        get: operations["listFiles"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/repositories/{id}/tree": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the folders below a folder */
        get: operations["listFolders"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/repositories/{id}/purge": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show how far the removal of a deleted repository is
         * @description A repository that is not deleted has none: 404 `purge_not_found`.
         */
        get: operations["getPurge"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/repository-states": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the states of repositories
         * @description Most urgent first, each with its reason and what to do about it; `?state=failing,retrying,drifting,missing,incomplete,stale,waiting` answers what needs attention.
         */
        get: operations["listRepositoryStates"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/discoveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List discoveries */
        get: operations["listDiscoveries"];
        put?: never;
        /**
         * Register a whole group, or a whole host
         * @description Its first run follows at once. Later runs register new projects, and retire removed ones after a grace.
         */
        post: operations["createDiscovery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/discoveries/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show a discovery */
        get: operations["getDiscovery"];
        put?: never;
        post?: never;
        /**
         * Delete a discovery
         * @description Its repositories are kept, like repositories registered by hand.
         */
        delete: operations["deleteDiscovery"];
        options?: never;
        head?: never;
        /**
         * Change a discovery
         * @description The next run obeys the change; repositories that are registered keep their settings. Host and group cannot change.
         */
        patch: operations["updateDiscovery"];
        trace?: never;
    };
    "/api/v1/discoveries/{id}/run": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Run a discovery now
         * @description Queues a run and answers at once; with `dry_run` it answers what a run would do.
         */
        post: operations["runDiscovery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/discoveries/{id}/runs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the runs of a discovery
         * @description Newest first; the last hundred are kept.
         */
        get: operations["listDiscoveryRuns"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/discoveries/{id}/runs/{run_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show a run of a discovery */
        get: operations["getDiscoveryRun"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/source-projects": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the projects of a GitLab
         * @description Asks the host now, with the token of the environment or a stored credential; so it also tests both. Nothing is registered. What the host answered is used again for a minute, so that pages and searches cost no further request.
         */
        get: operations["listSourceProjects"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/collections": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the collections
         * @description Each with the model of the index that searches use, and how far a rebuild is.
         */
        get: operations["listCollections"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/collections/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Read a collection */
        get: operations["getCollection"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/collections/{name}/reindex": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rebuild a collection for the configured embedding model now
         * @description Queues a sync of each repository. Searches use the former index until the new one is complete. A running rebuild for another model is abandoned.
         */
        post: operations["reindexCollection"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/collections/{name}/rollback": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Let searches use the index that was active before
         * @description At once and for all pods. The replaced index is kept as long as any former one.
         */
        post: operations["rollbackCollection"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/collections/{name}/activate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Let searches use the index that is being built
         * @description Happens automatically once it is complete and passes the gate of the collection; with `force` also without.
         */
        post: operations["activateCollection"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/collections/{name}/gate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the gate of a collection
         * @description Questions that a rebuilt index must answer about as well as the one in use.
         */
        get: operations["getGate"];
        /**
         * Keep back a rebuilt index that answers questions worse
         * @description Before searches use a rebuilt index, both indexes answer the questions, in mode `hybrid` without a reranker. The switch waits while nDCG@10 is lower by more than `max_loss`.
         */
        put: operations["putGate"];
        post?: never;
        /** Remove the gate of a collection */
        delete: operations["removeGate"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/schedules": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List schedules */
        get: operations["listSchedules"];
        put?: never;
        /** Create a schedule */
        post: operations["createSchedule"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/schedules/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show a schedule */
        get: operations["getSchedule"];
        put?: never;
        post?: never;
        /**
         * Delete a schedule
         * @description Its executions are kept.
         */
        delete: operations["deleteSchedule"];
        options?: never;
        head?: never;
        /**
         * Change a schedule
         * @description Every pod obeys the change at once. A tick that was due and not yet claimed is recorded as superseded when its time changes.
         */
        patch: operations["updateSchedule"];
        trace?: never;
    };
    "/api/v1/schedules/{id}/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Pause a schedule
         * @description Running executions continue; pausing a paused schedule changes nothing.
         */
        post: operations["pauseSchedule"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/schedules/{id}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Resume a schedule
         * @description Ticks that passed while it was paused do not run.
         */
        post: operations["resumeSchedule"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/schedules/{id}/executions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the executions of a schedule
         * @description Newest first; missed, coalesced and skipped ticks included.
         */
        get: operations["listScheduleExecutions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/schedule-preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Preview a schedule
         * @description The next ticks of an expression, without storing anything. Of `H` it shows one possible time.
         */
        get: operations["previewSchedule"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/executions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List executions
         * @description Newest first, unless `sort` says otherwise.
         */
        get: operations["listExecutions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/executions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show an execution */
        get: operations["getExecution"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/executions/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel an execution
         * @description A queued execution ends at once; a running one stops before its next stage or batch, on any pod.
         */
        post: operations["cancelExecution"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/executions/{id}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Retry an execution
         * @description Repeats a failed, partial or cancelled execution: the same work with the same limits, as a new execution that refers to it.
         */
        post: operations["retryExecution"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/repositories/{id}/sync": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sync a repository now
         * @description Queues a run and answers at once. A dry run does not wait for other runs of the repository; its plan is the `report` of the execution.
         */
        post: operations["syncRepository"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/repositories/{id}/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Verify the index of a repository
         * @description Queues a comparison of the index with the tree at its commit, and answers at once. The execution ends as completed, or as failed with `index_differs`; its `report` lists the differences.
         */
        post: operations["verifyRepository"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/progress": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List live tasks of a user
         * @description Tasks that changed within the last minutes, newest first.
         */
        get: operations["listProgress"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/progress/stats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Count live tasks by status */
        get: operations["getProgressStats"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/progress/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show the progress of a task
         * @description Also for a run that is queued or ended long ago, from its row.
         */
        get: operations["getProgress"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/executions/{id}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follow an execution live (server-sent events)
         * @description Events named `progress` whose data is a progress object. Ends with the run, or with the token: one that is revoked or expires ends its streams within 10 s. Reconnect with `Last-Event-ID`, to any pod, to continue without a gap. For a client that reads too slowly at most 1000 events wait; when older ones were dropped, an event `dropped` has their number in `dropped_events`.
         */
        get: operations["followExecution"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/history/summary": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Sum up the runs of a range
         * @description Counts, durations and work of the runs that were queued in it, exact to the row.
         */
        get: operations["getHistorySummary"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/history/timeline": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show runs, files, chunks and embeddings over time */
        get: operations["getHistoryTimeline"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/history/failures": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show when and where runs fail, and why
         * @description Failed, partial and missed runs by hour of the day, by repository and by error code.
         */
        get: operations["getHistoryFailures"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/locks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List who holds which repository
         * @description Since when, until when, and for which execution. By repository.
         */
        get: operations["listLocks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/locks/{repository_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Break the lock of a repository
         * @description For emergencies: the run ends as cancelled (`lock_released`) at once, its further writes are refused, and a living pod stops it within a second. The next run may start immediately.
         */
        delete: operations["releaseLock"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/cluster": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show the pods, their leader and the queue
         * @description Fields that need Redis are null while it does not answer.
         */
        get: operations["getCluster"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List API tokens
         * @description Newest first, expired and revoked ones included.
         */
        get: operations["listTokens"];
        put?: never;
        /**
         * Create an API token
         * @description Its clear text is in this answer and nowhere else.
         */
        post: operations["createToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tokens/{id}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replace an API token by another one
         * @description The new one has the same name, role and scope. The former one is accepted until `overlap_seconds` have passed, so that its users can change without an interruption.
         */
        post: operations["rotateToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tokens/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke an API token
         * @description No pod accepts it any more; revoking it again changes nothing.
         */
        delete: operations["revokeToken"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/identity": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show the name, role and scope of the calling token */
        get: operations["getIdentity"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List who changed, read and exported what, and who was refused
         * @description Newest first. Changes are recorded before they are made, all else within some seconds. Several refusals of one client within a minute are one record.
         */
        get: operations["listAuditEntries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/audit/check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Check the chain of the audit log
         * @description Compares each record with its hash and with the record before it. It finds changed and missing records; that the newest were cut off, or all rewritten, only with a record that you kept.
         */
        get: operations["checkAudit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/audit/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export the audit log
         * @description All records that match, oldest first, streamed as JSON lines: one record per line.
         */
        get: operations["exportAudit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Search the index
         * @description Best hits first, over all collections; `total` is the number of hits answered. Neighbouring chunks of a file are one hit. All pages together have the best hundred chunks (the candidates), of `exact` a thousand; use filters to see others.
         */
        post: operations["searchIndex"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/declarations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List what was declared in files
         * @description A declared resource is changed in its files: the next `repotide apply` undoes an edit by hand.
         */
        get: operations["listDeclared"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/declarations/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Whether the service equals its declared resources
         * @description What the leader found when it last compared the service with the files of DECLARED_RESOURCES, which are the declaration `installation`. Nothing is recorded here for other declarations.
         */
        get: operations["readRound"];
        /**
         * Record what was declared in files
         * @description Replaces the marks of this declaration, and changes no resource. `repotide apply` calls it at its end.
         */
        put: operations["replaceDeclaration"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/settings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the settings in force */
        get: operations["listSettings"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change settings
         * @description Changes all given settings or none. Every pod obeys as soon as this is answered. Null restores a default.
         */
        patch: operations["updateSettings"];
        trace?: never;
    };
    "/api/v1/credentials": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List credentials */
        get: operations["listCredentials"];
        put?: never;
        /**
         * Store a credential
         * @description Encrypted under `REPOTIDE_ENCRYPTION_KEY`. Repositories are read with it by their `credential_id`.
         */
        post: operations["createCredential"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/credentials/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show a credential */
        get: operations["getCredential"];
        put?: never;
        post?: never;
        /** Delete a credential */
        delete: operations["deleteCredential"];
        options?: never;
        head?: never;
        /**
         * Give a credential a new secret
         * @description After a new login, or when a token was renewed. Runs that begin from now on use it.
         */
        patch: operations["updateCredential"];
        trace?: never;
    };
    "/api/v1/credential-key/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Encrypt all credentials and secrets of webhooks under the current key
         * @description Once every pod has `REPOTIDE_ENCRYPTION_KEY=<new key>,<former key>`. Repeating is harmless; afterwards the former key can be removed.
         */
        post: operations["rotateCredentialKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health/live": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Whether the process answers
         * @description Checks no dependency, because a restart would not repair a database.
         */
        get: operations["getLiveness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health/ready": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Whether the process can serve
         * @description A process with the role api is ready while Postgres answers; `roles` shows whether it takes work. Without that role a process is ready while it can do the work of its roles.
         */
        get: operations["getReadiness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The same as `/health/ready` */
        get: operations["getHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show metrics in the format of Prometheus
         * @description With `METRICS_TOKEN`, it needs `Authorization: Bearer <METRICS_TOKEN>`.
         */
        get: operations["scrape"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/options": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show where people sign in */
        get: operations["getSignInOptions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/sign-out": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * End the session of the cookie
         * @description No pod accepts it any more; repeating changes nothing.
         */
        post: operations["signOut"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/gitlab": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Receive an event of GitLab
         * @description A push to a registered branch queues a sync after `WEBHOOK_DEBOUNCE_SECONDS`; other events are accepted and ignored. Schedules sync what a lost webhook missed.
         */
        post: operations["receiveGitlabEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/event-webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the webhooks for events */
        get: operations["listEventWebhooks"];
        put?: never;
        /**
         * Register a webhook for events
         * @description Its secret is in this answer and nowhere else; it is stored encrypted under `REPOTIDE_ENCRYPTION_KEY`.
         */
        post: operations["createEventWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/event-webhooks/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show a webhook for events */
        get: operations["getEventWebhook"];
        put?: never;
        post?: never;
        /** Delete a webhook for events and its deliveries */
        delete: operations["deleteEventWebhook"];
        options?: never;
        head?: never;
        /**
         * Change a webhook for events
         * @description With `is_enabled` true, what waited for it is sent.
         */
        patch: operations["updateEventWebhook"];
        trace?: never;
    };
    "/api/v1/event-webhooks/{id}/rotate-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Give a webhook a new secret
         * @description Deliveries are signed with it from now on. It is in this answer and nowhere else.
         */
        post: operations["rotateEventWebhookSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/event-webhooks/{id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a test event to a webhook
         * @description Sends `webhook.test` once, also when the webhook does not subscribe to it, and returns the outcome.
         */
        post: operations["testEventWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/event-webhooks/{id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the deliveries of a webhook
         * @description Newest first. They are kept for seven days.
         */
        get: operations["listEventDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/event-webhooks/{id}/deliveries/{delivery_id}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a delivery again
         * @description Within seconds, with the same `webhook-id`.
         */
        post: operations["retryEventDelivery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        ActivateDto: {
            /**
             * @description Also when it lacks repositories, or files that searches find now.
             * @default false
             */
            force?: boolean;
        };
        ActiveDto: {
            /**
             * Format: uuid
             * @description Id of the generation.
             * @example 0b0f1c9e-5f0e-4a55-8f0e-3a2f6f1d7c11
             */
            id: string;
            /**
             * @description Its name in the vector store.
             * @example repotide--0b0f1c9e
             */
            physical_name: string;
            /**
             * @description The model and vector length of all its vectors.
             * @example text-embedding-3-small@1536
             */
            model_id: string;
            /**
             * @description Length of its vectors.
             * @example 1536
             */
            dimensions: number;
            /**
             * Format: date-time
             * @description When its build began.
             * @example 2026-11-20T09:00:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When searches last began to use it.
             * @example 2026-11-20T09:00:00.000Z
             */
            activated_at: string | null;
            /**
             * @description Length of its chunks in characters, for repositories without a chunk_size: CHUNK_SIZE, or less where the model embeds only shorter texts whole. Null: this pod cannot use the model.
             * @example 7000
             */
            chunk_size: number | null;
            /**
             * @description Points that searches find by meaning alone; they get their terms in the background. Null: the vector store does not answer.
             * @example 0
             */
            points_without_terms: number | null;
        };
        /** @enum {string} */
        ArchivedPolicy: "exclude" | "include";
        AuditAnchorDto: {
            /**
             * @description Its id.
             * @example 12
             */
            last_id: number;
            /**
             * @description Its hash, with which the chain goes on.
             * @example 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
             */
            hash: string;
            /**
             * Format: date-time
             * @description When it was deleted.
             * @example 2026-11-20T09:00:00.000Z
             */
            deleted_at: string;
        };
        AuditBreakDto: {
            /**
             * @description Its id.
             * @example 12
             */
            id: number;
            /**
             * @description What is wrong.
             * @example its content was changed
             */
            problem: string;
        };
        AuditCheckDto: {
            /**
             * @description Whether no record is wrong.
             * @example true
             */
            is_intact: boolean;
            /**
             * @description Records that were compared.
             * @example 12
             */
            checked: number;
            /** @description The newest record. Keep it elsewhere, for `known_id` later. */
            head: components["schemas"]["AuditHeadDto"] | (never | null);
            /** @description The last record that retention has deleted. */
            anchor: components["schemas"]["AuditAnchorDto"] | (never | null);
            /** @description The first record that is wrong. */
            broken: components["schemas"]["AuditBreakDto"] | (never | null);
        };
        AuditEntryDto: {
            /**
             * @description Place in the chain, from 1 without gaps.
             * @example 12
             */
            id: number;
            /**
             * @description Hash of the record before it.
             * @example 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
             */
            previous_hash: string;
            /**
             * @description SHA-256 of the previous hash, a newline, and the other fields as canonical JSON.
             * @example 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
             */
            hash: string;
            /**
             * Format: date-time
             * @description When the call began; of several calls, the first.
             * @example 2026-11-20T09:00:00.000Z
             */
            at: string;
            /** @description `loss` counts records that could not be written. */
            kind: components["schemas"]["AuditKind"];
            /**
             * @description The caller: the id of an API token, or `oidc:` and the subject. Null before a caller is known.
             * @example oidc:7
             */
            actor_id: string | null;
            /**
             * @description Name of the caller at that time.
             * @example platform-admin
             */
            actor_name: string | null;
            /** @description Role of the caller at that time. */
            actor_role: components["schemas"]["Role"] | (never | null);
            /**
             * @description Address of the client, as trusted proxies report it.
             * @example 192.0.2.7
             */
            client_address: string | null;
            /**
             * @description Method of the request.
             * @example DELETE
             */
            method: string | null;
            /**
             * @description Pattern of the path.
             * @example /api/v1/locks/:repository_id
             */
            route: string | null;
            /**
             * @description What was requested: subject and verb.
             * @example lock.release
             */
            action: string;
            /**
             * @description Kind of the subject.
             * @example lock
             */
            subject_type: string | null;
            /**
             * @description Id of the subject.
             * @example 0b0f1c9e-5f0e-4a55-8f0e-3a2f6f1d7c11
             */
            subject_id: string | null;
            /** @description Repositories of the answer. */
            repository_ids: string[] | null;
            /**
             * @description The file that was read.
             * @example src/main.ts
             */
            path: string | null;
            /**
             * @description The lines that were read.
             * @example 1-200
             */
            lines: string | null;
            /**
             * @description Fingerprint of the text that was searched for, with a key of the installation.
             * @example 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
             */
            query_hash: string | null;
            /**
             * @description Why, in the words of the caller.
             * @example The pod hangs.
             */
            reason: string | null;
            /**
             * @description Id of the request, as in the log lines.
             * @example 5a1d3f0e-8a55-4a7a-9a53-0c8a6c2f6a31
             */
            request_id: string | null;
            /** @description How it ended; null while it runs, or when the process died during the call. */
            outcome: components["schemas"]["AuditOutcome"] | (never | null);
            /**
             * @description Why it did not succeed.
             * @example lock_not_held
             */
            error_code: string | null;
            /**
             * @description The body of a call that succeeded, secrets masked.
             * @example {
             *       "is_active": false
             *     }
             */
            changes: {
                [key: string]: unknown;
            } | null;
            /**
             * @description The record of the beginning of this change.
             * @example 12
             */
            begin_id: number | null;
            /**
             * @description The number of calls, where this record counts several.
             * @example 12
             */
            calls: number | null;
            /**
             * Format: date-time
             * @description When the last of them began.
             * @example 2026-11-20T09:00:00.000Z
             */
            last_at: string | null;
        };
        AuditEntryListDto: {
            items: components["schemas"]["AuditEntryDto"][];
            /**
             * @description How many match, on all pages.
             * @example 1
             */
            total: number;
        };
        AuditHeadDto: {
            /**
             * @description Its id.
             * @example 12
             */
            id: number;
            /**
             * @description Its hash.
             * @example 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
             */
            hash: string;
        };
        /** @enum {string} */
        AuditKind: "change" | "read" | "export" | "refusal" | "loss";
        /** @enum {string} */
        AuditOutcome: "succeeded" | "refused" | "failed";
        BuildingDto: {
            /**
             * Format: uuid
             * @description Id of the generation.
             * @example 0b0f1c9e-5f0e-4a55-8f0e-3a2f6f1d7c11
             */
            id: string;
            /**
             * @description Its name in the vector store.
             * @example repotide--0b0f1c9e
             */
            physical_name: string;
            /**
             * @description The model and vector length of all its vectors.
             * @example text-embedding-3-small@1536
             */
            model_id: string;
            /**
             * @description Length of its vectors.
             * @example 1536
             */
            dimensions: number;
            /**
             * Format: date-time
             * @description When its build began.
             * @example 2026-11-20T09:00:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When searches last began to use it.
             * @example 2026-11-20T09:00:00.000Z
             */
            activated_at: string | null;
            /**
             * @description Length of its chunks in characters, for repositories without a chunk_size: CHUNK_SIZE, or less where the model embeds only shorter texts whole. Null: this pod cannot use the model.
             * @example 7000
             */
            chunk_size: number | null;
            /**
             * @description Repositories with a completed sync into it.
             * @example 12
             */
            repositories_done: number;
            /**
             * @description Repositories that the active generation holds.
             * @example 12
             */
            repositories_total: number;
            /**
             * @description Files that the active generation holds and this one failed on; they delay the switch.
             * @example 0
             */
            files_failed: number;
            /** @description How it answered the questions of the gate; null: no gate, not judged yet, or the caller has a scope. */
            gate: components["schemas"]["GateVerdictDto"] | (never | null);
        };
        /** @enum {string} */
        CatchUp: "latest" | "none";
        /** @enum {string} */
        Certainty: "exact" | "estimated";
        ClusterDto: {
            /**
             * @description Mode of the installation, as its environment sets it.
             * @enum {string}
             */
            mode: "standalone" | "distributed";
            /**
             * @description Version of the pod that answers.
             * @example 0.1.0
             */
            version: string;
            /**
             * @description The leader; null when there is none, or it is unknown.
             * @example repotide-0
             */
            leader: string | null;
            /**
             * @description Runs that wait for a worker; null when the queue does not answer.
             * @example 3
             */
            queue_depth: number | null;
            /** @description The processes, by name. One without a heartbeat is listed for a day. */
            pods: components["schemas"]["PodDto"][];
        };
        CollectionDto: {
            /**
             * @description Its name; in Qdrant an alias of the active generation.
             * @example repotide
             */
            name: string;
            /** @description The generation that searches use. */
            active: components["schemas"]["ActiveDto"] | (never | null);
            /** @description The generation that is built for another model; null: none. */
            building: components["schemas"]["BuildingDto"] | (never | null);
            /** @description Formerly active generations, the latest first. */
            retired: components["schemas"]["RetiredDto"][];
        };
        CollectionListDto: {
            items: components["schemas"]["CollectionDto"][];
            /**
             * @description How many match, on all pages.
             * @example 1
             */
            total: number;
        };
        /** @enum {string} */
        ContentKind: "code" | "docs" | "tests" | "config";
        CreateCredentialDto: {
            /**
             * @description A personal, project or group access token of GitLab with `read_api`, or a token of another git host that may read code. Either this or `oauth`.
             * @example glpat-...
             */
            token?: string;
            /**
             * @description Sent beside `token` to a git host that is not a GitLab and expects a certain user. Only with `token`.
             * @example x-token-auth
             */
            username?: string;
            /** @description The grant of an OAuth application for a user. Either this or `token`. */
            oauth?: components["schemas"]["OAuthGrantDto"];
            /**
             * @description A name that distinguishes it from others.
             * @example platform group
             */
            name: string;
            /**
             * Format: uri
             * @description The GitLab or git host that it belongs to; it is sent to no other host. Default: `GITLAB_URL`.
             * @example https://gitlab.example.com
             */
            base_url?: string;
        } & (unknown | unknown);
        CreateDiscoveryDto: {
            /**
             * @description Index only files that match one of these globs; empty: all.
             * @example [
             *       "src/**",
             *       "docs/**\/*.md"
             *     ]
             */
            include_globs?: string[];
            /**
             * @description Leave out files that match one of these globs.
             * @example [
             *       "**\/*.snap"
             *     ]
             */
            exclude_globs?: string[];
            /**
             * @description Larger files are not indexed. Default: `MAX_FILE_BYTES`.
             * @example 1048576
             */
            max_file_bytes?: number;
            /**
             * @description Characters of a chunk. Default: `CHUNK_SIZE`.
             * @example 7000
             */
            chunk_size?: number;
            /**
             * @description Characters that neighbouring chunks share. Default: `CHUNK_OVERLAP`.
             * @example 1500
             */
            chunk_overlap?: number;
            /**
             * Format: uuid
             * @description The stored credential to read it with; null: the token of the environment.
             */
            credential_id?: string | null;
            /**
             * @description With the projects of subgroups.
             * @default true
             */
            include_subgroups?: boolean;
            /**
             * @description For a whole host: only projects that the user of the token is a member of. False: every project that it can see.
             * @default true
             */
            members_only?: boolean;
            /**
             * @description Only projects whose full path matches one of these globs; empty: all.
             * @example [
             *       "team/services/**"
             *     ]
             */
            include_projects?: string[];
            /**
             * @description No projects whose full path matches one of these globs.
             * @example [
             *       "**\/*-archive"
             *     ]
             */
            exclude_projects?: string[];
            /**
             * @description Names or globs of branches; empty: the default branch of each project.
             * @example [
             *       "main",
             *       "release/*"
             *     ]
             */
            branches?: string[];
            /**
             * @description `exclude`: an archived project counts as removed.
             * @default exclude
             */
            archived_projects?: components["schemas"]["ArchivedPolicy"];
            /**
             * @description The collection of new repositories.
             * @default repotide
             */
            collection_name?: string;
            /** @description Schedule of each new repository; null: none. */
            schedule?: {
                /**
                 * @description Minute, hour, day of month, month, day of week. `H` is a number that each repository keeps: `H * * * *` is hourly at another minute for each repository, `H H(0-5) * * *` once a night, `H/15 * * * *` every quarter of an hour.
                 * @default H * * * *
                 */
                cron_expression?: string;
                /**
                 * @description IANA name of its time zone.
                 * @default UTC
                 */
                timezone?: string;
            } | null;
            /**
             * @description When it runs.
             * @default 0 * * * *
             */
            cron_expression?: string;
            /**
             * @description IANA name of the time zone of the expression.
             * @default UTC
             */
            timezone?: string;
            /**
             * @description False: it runs only on request.
             * @default true
             */
            is_active?: boolean;
            /**
             * @description A removed project is deleted and purged this long after a run first missed it.
             * @default 24
             */
            grace_hours?: number;
            /**
             * @description A name that distinguishes it from others. Default: the group, or the host.
             * @example platform
             */
            name?: string;
            /**
             * @description Full path of the group; null or absent: the whole host.
             * @example team/platform
             */
            group_path?: string | null;
            /**
             * Format: uri
             * @description Address of the GitLab host, with its path prefix if it has one. Default: `GITLAB_URL`.
             * @example https://gitlab.example.com
             */
            base_url?: string;
        };
        CreateEventWebhookDto: {
            /**
             * @description A name that distinguishes it from others.
             * @example chat
             */
            name: string;
            /**
             * Format: uri
             * @description Receives each event as a POST. Its host must be allowed by `OUTGOING_ALLOWED_HOSTS`.
             * @example https://hooks.example.com/repotide
             */
            url: string;
            /**
             * @description What is sent.
             * @example [
             *       "run.finished"
             *     ]
             */
            events: components["schemas"]["EventType"][];
            /**
             * @description Only events of projects that these patterns match, in the form of the scope of a token. Null: of all.
             * @example [
             *       "platform"
             *     ]
             */
            scope?: string[] | null;
        };
        CreateRepositoryDto: {
            /**
             * @description Index only files that match one of these globs; empty: all.
             * @example [
             *       "src/**",
             *       "docs/**\/*.md"
             *     ]
             */
            include_globs?: string[];
            /**
             * @description Leave out files that match one of these globs.
             * @example [
             *       "**\/*.snap"
             *     ]
             */
            exclude_globs?: string[];
            /**
             * @description Larger files are not indexed. Default: `MAX_FILE_BYTES`.
             * @example 1048576
             */
            max_file_bytes?: number;
            /**
             * @description Characters of a chunk. Default: `CHUNK_SIZE`.
             * @example 7000
             */
            chunk_size?: number;
            /**
             * @description Characters that neighbouring chunks share. Default: `CHUNK_OVERLAP`.
             * @example 1500
             */
            chunk_overlap?: number;
            /**
             * Format: uuid
             * @description The stored credential to read it with; null: the token of the environment.
             */
            credential_id?: string | null;
            /**
             * @description Full path of the project. This, `project_id` or `git_url`.
             * @example group/project
             */
            project_path?: string;
            /**
             * @description Numeric id of the project. This, `project_path` or `git_url`.
             * @example 42
             */
            project_id?: number;
            /**
             * Format: uri
             * @description URL of a repository at any git host, as `git clone` takes it, without a user name or password.
             * @example https://github.com/group/project.git
             */
            git_url?: string;
            /**
             * @description The branch to index. Default: the default branch of the project.
             * @example main
             */
            branch?: string;
            /**
             * Format: uri
             * @description Address of the GitLab host, with its path prefix if it has one. Default: `GITLAB_URL`. Not with `git_url`.
             * @example https://gitlab.example.com
             */
            base_url?: string;
            /**
             * @description The collection of the points; several repositories may share one.
             * @default repotide
             */
            collection_name?: string;
        } & (unknown | unknown | unknown);
        CreateScheduleDto: {
            /**
             * @description Estimated tokens that one run may embed: it stops before it exceeds them, as partial with `budget_reached`, and the next tick continues. Reused vectors cost nothing. Null: no limit.
             * @default null
             * @example 2000000
             */
            max_embedding_tokens_per_run?: number | null;
            /**
             * @description Estimated tokens that all runs of the repository may embed in 24 hours before a run of this schedule stops. Null: no limit.
             * @default null
             * @example 2000000
             */
            max_embedding_tokens_per_day?: number | null;
            /**
             * @description A run stops cleanly after this time, as partial with `time_budget_reached`, and the next tick continues. 0 or null: no limit.
             * @default null
             * @example 900
             */
            time_budget_seconds?: number | null;
            /**
             * @description IANA name of the time zone of the expression.
             * @default UTC
             * @example Europe/Berlin
             */
            timezone?: string;
            /**
             * @description False: the schedule does not run.
             * @default true
             */
            is_active?: boolean;
            /**
             * @description A tick found later than this is recorded as missed. Default: `MISFIRE_GRACE_SECONDS`.
             * @example 300
             */
            misfire_grace_seconds?: number;
            /**
             * @description After missed ticks: `latest` starts one run at once; `none` waits for the next tick.
             * @default latest
             */
            catch_up?: components["schemas"]["CatchUp"];
            /**
             * Format: uuid
             * @description The repository to sync.
             * @example 0b0f1c9e-5f0e-4a55-8f0e-3a2f6f1d7c11
             */
            repository_id: string;
            /**
             * @description Minute, hour, day of month, month, day of week. `H` (also `H/15`, `H(0-29)`) is a number derived from the repository, so that schedules spread.
             * @example *\/15 * * * *
             */
            cron_expression: string;
        };
        CreateTokenDto: {
            /**
             * @description A name for people and logs.
             * @example ci
             */
            name: string;
            /** @description viewer reads; operator also starts, cancels and pauses; admin also configures. */
            role: components["schemas"]["Role"];
            /**
             * @description Patterns of the project paths that it may see and change, such as `platform`, which includes all below the group, or `web/*-service`. Null: everything.
             * @example [
             *       "platform"
             *     ]
             */
            scope?: string[];
            /**
             * Format: date-time
             * @description The token is valid until then. Default and latest: `API_TOKEN_MAX_DAYS` from now.
             */
            expires_at?: string;
        };
        CredentialDto: {
            /**
             * Format: uuid
             * @description Id of the credential.
             * @example 0b0f1c9e-5f0e-4a55-8f0e-3a2f6f1d7c11
             */
            id: string;
            /**
             * @description Its name.
             * @example platform group
             */
            name: string;
            /**
             * @description Kind of its secret.
             * @example token
             * @enum {string}
             */
            kind: "token" | "oauth";
            /**
             * @description The code host that it belongs to.
             * @example https://gitlab.example.com
             */
            base_url: string;
            /**
             * Format: date-time
             * @description When the OAuth access token ends and is refreshed; null for a token.
             * @example 2026-11-20T09:00:00.000Z
             */
            expires_at: string | null;
            /**
             * Format: date-time
             * @description Since when it needs a new login; null while it works.
             * @example 2026-11-20T09:00:00.000Z
             */
            needs_login_since: string | null;
            /**
             * @description Repositories that are read with it.
             * @example 3
             */
            repository_count: number;
            /**
             * @description Grows with each new secret, refreshed ones included; the `ETag`.
             * @example 1
             */
            revision: number;
            /**
             * Format: date-time
             * @description When it was created.
             * @example 2026-11-20T09:00:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When its secret last changed.
             * @example 2026-11-20T09:00:00.000Z
             */
            updated_at: string;
        };
        CredentialListDto: {
            items: components["schemas"]["CredentialDto"][];
            /**
             * @description How many match, on all pages.
             * @example 1
             */
            total: number;
        };
        CredentialSecretDto: {
            /**
             * @description A personal, project or group access token of GitLab with `read_api`, or a token of another git host that may read code. Either this or `oauth`.
             * @example glpat-...
             */
            token?: string;
            /**
             * @description Sent beside `token` to a git host that is not a GitLab and expects a certain user. Only with `token`.
             * @example x-token-auth
             */
            username?: string;
            /** @description The grant of an OAuth application for a user. Either this or `token`. */
            oauth?: components["schemas"]["OAuthGrantDto"];
        } & (unknown | unknown);
        DeclarationRoundDto: {
            /**
             * @description Name of the declaration.
             * @example installation
             */
            declaration: string;
            /**
             * @description Whether the service equals the files.
             * @example equal
             */
            status: components["schemas"]["DeclarationStatus"];
            /**
             * Format: date-time
             * @description When the leader last compared them.
             * @example 2026-11-20T09:00:00.000Z
             */
            checked_at: string;
            /**
             * Format: date-time
             * @description When that last changed the service.
             * @example 2026-11-20T09:00:00.000Z
             */
            changed_at: string | null;
            /**
             * @description The pod that compared them.
             * @example repotide-0
             */
            pod_name: string;
            /**
             * @description Why the files could not be compared.
             * @example repotide.yaml:3: repositories[0].brunch is not a field here.
             */
            error: string | null;
            /** @description What the newest comparison that found a difference changed, or would change; at most 200. */
            changes: components["schemas"]["DeclaredChangeDto"][];
        };
        /** @enum {string} */
        DeclarationStatus: "equal" | "differs" | "failed";
        DeclaredChangeDto: {
            /**
             * @description What makes the service equal to the files.
             * @enum {string}
             */
            action: "create" | "update" | "delete";
            /**
             * @description Kind of the resource.
             * @example repository
             */
            kind: components["schemas"]["DeclaredKind"];
            /**
             * @description Name of the resource in the files.
             * @example group/project@main
             */
            key: string;
            /**
             * @description Whether it was changed by hand since it was applied.
             * @example false
             */
            is_drift: boolean;
            /** @description The fields that differed. */
            fields: components["schemas"]["DeclaredFieldDto"][];
            /**
             * @description Why it could not be applied.
             * @example There is no project "group/project".
             */
            error: string | null;
        };
        DeclaredDto: {
            /**
             * @description Kind of the resource.
             * @example repository
             */
            kind: components["schemas"]["DeclaredKind"];
            /**
             * @description Its name in the files, unique within its kind.
             * @example group/project@main
             */
            key: string;
            /**
             * Format: uuid
             * @description Id of the resource.
             * @example 0b0f1c9e-5f0e-4a55-8f0e-3a2f6f1d7c11
             */
            resource_id: string;
            /**
             * @description Of its fields in the files: where the resource differs from them and this is unchanged, it was changed by hand.
             * @example 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
             */
            digest: string;
        };
        DeclaredFieldDto: {
            /**
             * @description Name of the field.
             * @example max_file_bytes
             */
            field: string;
            /**
             * @description Its value in the service, as JSON; the first 2,000 characters.
             * @example 5000
             */
            from: string;
            /**
             * @description Its value in the files, as JSON; the first 2,000 characters.
             * @example 100000
             */
            to: string;
        };
        /** @enum {string} */
        DeclaredKind: "credential" | "repository" | "schedule" | "discovery";
        DeclaredResourceDto: {
            /**
             * @description Name of the declaration.
             * @example default
             */
            declaration: string;
            /**
             * @description Kind of the resource.
             * @example repository
             */
            kind: components["schemas"]["DeclaredKind"];
            /**
             * @description Its name in the files.
             * @example group/project@main
             */
            key: string;
            /**
             * Format: uuid
             * @description Id of the resource.
             * @example 0b0f1c9e-5f0e-4a55-8f0e-3a2f6f1d7c11
             */
            resource_id: string;
            /**
             * @description Of its fields in the files: where the resource differs from them and this is unchanged, it was changed by hand.
             * @example 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
             */
            digest: string;
            /**
             * Format: date-time
             * @description When its fields were last applied.
             * @example 2026-11-20T09:00:00.000Z
             */
            applied_at: string;
            /**
             * @description Name of the token that applied them.
             * @example ci
             */
            applied_by: string | null;
        };
        DeclaredResourceListDto: {
            items: components["schemas"]["DeclaredResourceDto"][];
            /**
             * @description How many match, on all pages.
             * @example 1
             */
            total: number;
        };
        DependenciesDto: {
            /** @description Postgres, which also has the queue. */
            database: components["schemas"]["DependencyHealthDto"];
            /** @description Qdrant, or the embedded store. */
            vector_store: components["schemas"]["DependencyHealthDto"];
            /** @description The leases that keep two runs of a repository apart. */
            locks: components["schemas"]["DependencyHealthDto"];
        };
        DependencyHealthDto: {
            /**
             * @description Whether it answered.
             * @enum {string}
             */
            status: "up" | "down";
            /**
             * @description Stable name of what is wrong with it.
             * @example vector_store_unavailable
             */
            error_code: string | null;
            /** @description What does not work although it answers: what the key of Qdrant turned out not to permit. */
            limits: string[];
        };
        DiscoveryDto: {
            /**
             * Format: uuid
             * @description Id of the discovery.
             * @example 0b0f1c9e-5f0e-4a55-8f0e-3a2f6f1d7c11
             */
            id: string;
            /**
             * @description A name that distinguishes it from others.
             * @example platform
             */
            name: string;
            /**
             * @description Address of the code host.
             * @example https://gitlab.example.com
             */
            base_url: string;
            /**
             * @description Full path of the group; null: the whole host.
             * @example team/platform
             */
            group_path: string | null;
            /**
             * @description With the projects of subgroups.
             * @example true
             */
            include_subgroups: boolean;
            /**
             * @description For a whole host: only projects that the user of the token is a member of.
             * @example true
             */
            members_only: boolean;
            /**
             * @description Only projects that match; empty: all.
             * @example [
             *       "team/services/**"
             *     ]
             */
            include_projects: string[];
            /**
             * @description No projects that match.
             * @example [
             *       "**\/*-archive"
             *     ]
             */
            exclude_projects: string[];
            /**
             * @description Names or globs; empty: the default branch of each project.
             * @example [
             *       "main"
             *     ]
             */
            branches: string[];
            /** @description `exclude`: an archived project counts as removed. */
            archived_projects: components["schemas"]["ArchivedPolicy"];
            /**
             * Format: uuid
             * @description The stored credential that it lists projects with; null: the token of the environment.
             * @example 0b0f1c9e-5f0e-4a55-8f0e-3a2f6f1d7c11
             */
            credential_id: string | null;
            /**
             * @description The collection of new repositories.
             * @example repotide
             */
            collection_name: string;
            /**
             * @description New repositories: only these files; empty: all.
             * @example [
             *       "src/**"
             *     ]
             */
            include_globs: string[];
            /**
             * @description New repositories: not these files.
             * @example [
             *       "**\/*.snap"
             *     ]
             */
            exclude_globs: string[];
            /**
             * @description New repositories: larger files are not indexed.
             * @example 1048576
             */
            max_file_bytes: number;
            /**
             * @description New repositories: characters of a chunk.
             * @example 7000
             */
            chunk_size: number;
            /**
             * @description New repositories: characters that neighbouring chunks share.
             * @example 1500
             */
            chunk_overlap: number;
            /** @description The schedule of new repositories; null: none. */
            schedule: {
                /**
                 * @description Minute, hour, day of month, month, day of week. `H` is a number that each repository keeps: `H * * * *` is hourly at another minute for each repository, `H H(0-5) * * *` once a night, `H/15 * * * *` every quarter of an hour.
                 * @default H * * * *
                 */
                cron_expression: string;
                /**
                 * @description IANA name of its time zone.
                 * @default UTC
                 */
                timezone: string;
            } | null;
            /**
             * @description When it runs.
             * @example 0 * * * *
             */
            cron_expression: string;
            /**
             * @description IANA name of the time zone of the expression.
             * @example UTC
             */
            timezone: string;
            /**
             * @description False: it runs only on request.
             * @example true
             */
            is_active: boolean;
            /**
             * @description A removed project is retired this long after a run first missed it.
             * @example 24
             */
            grace_hours: number;
            /**
             * Format: date-time
             * @description When it runs next; null while it is not active.
             * @example 2026-11-20T09:00:00.000Z
             */
            next_run_at: string | null;
            /**
             * @description Grows with every edit; the `ETag`.
             * @example 1
             */
            revision: number;
            /**
             * Format: date-time
             * @description When it was created.
             * @example 2026-11-20T09:00:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When the row last changed.
             * @example 2026-11-20T09:00:00.000Z
             */
            updated_at: string;
        };
        DiscoveryListDto: {
            items: components["schemas"]["DiscoveryDto"][];
            /**
             * @description How many match, on all pages.
             * @example 1
             */
            total: number;
        };
        DiscoveryPreviewDto: {
            /**
             * @description Projects that the host listed.
             * @example 12
             */
            projects_listed: number;
            /** @description Repositories to register, unless one turns out to be empty. */
            add: components["schemas"]["WantedRepositoryDto"][];
            /**
             * @description Repositories that are registered and still exist.
             * @example 12
             */
            kept: number;
            /** @description Missing repositories, which are retired after their grace. */
            retire: components["schemas"]["MissingRepositoryDto"][];
            /**
             * @description Paths of matching projects with nothing to index.
             * @example [
             *       "team/empty"
             *     ]
             */
            skipped: string[];
        };
        DiscoveryRunDto: {
            /**
             * Format: uuid
             * @description Id of the run.
             * @example 0b0f1c9e-5f0e-4a55-8f0e-3a2f6f1d7c11
             */
            id: string;
            /**
             * Format: uuid
             * @description The discovery that ran.
             * @example 0b0f1c9e-5f0e-4a55-8f0e-3a2f6f1d7c11
             */
            discovery_id: string;
            /**
             * @description What started the run.
             * @example cron
             * @enum {string}
             */
            trigger: "cron" | "manual";
            /** @description `partial`: some projects could not be read. */
            status: components["schemas"]["DiscoveryRunStatus"];
            /**
             * @description The caller confirmed that most projects were removed.
             * @example false
             */
            force: boolean;
            /**
             * @description Name of the token that requested it; null: its schedule.
             * @example ada
             */
            requested_by: string | null;
            /**
             * @description The pod that last ran it.
             * @example repotide-0
             */
            pod_name: string | null;
            /**
             * Format: date-time
             * @description When it was queued.
             * @example 2026-11-20T09:00:00.000Z
             */
            queued_at: string;
            /**
             * Format: date-time
             * @description When it started.
             * @example 2026-11-20T09:00:00.000Z
             */
            started_at: string | null;
            /**
             * Format: date-time
             * @description When it ended.
             * @example 2026-11-20T09:00:00.000Z
             */
            completed_at: string | null;
            /**
             * @description Projects that the host listed.
             * @example 12
             */
            projects_listed: number;
            /**
             * @description Repositories that were registered.
             * @example 12
             */
            added: number;
            /**
             * @description Repositories that were already registered, by this discovery or otherwise, and still exist.
             * @example 12
             */
            kept: number;
            /**
             * @description Kept repositories that were missing before.
             * @example 12
             */
            restored: number;
            /**
             * @description Repositories that are missing and wait for their grace to pass.
             * @example 12
             */
            missing: number;
            /**
             * @description Repositories that were deleted; their points are purged in the background.
             * @example 12
             */
            retired: number;
            /**
             * @description Projects with nothing to index: empty, or their code may not be read.
             * @example 12
             */
            skipped: number;
            /**
             * @description Projects that could not be read; they stay as they were.
             * @example 12
             */
            failed: number;
            /**
             * @description Why it failed or is partial.
             * @example discovery_loss_refused
             */
            error_code: string | null;
            /**
             * @description The same for people.
             * @example GitLab listed 0 project(s), ...
             */
            error_message: string | null;
        };
        DiscoveryRunListDto: {
            items: components["schemas"]["DiscoveryRunDto"][];
            /**
             * @description How many match, on all pages.
             * @example 1
             */
            total: number;
        };
        /** @enum {string} */
        DiscoveryRunStatus: "queued" | "running" | "completed" | "partial" | "failed";
        /** @enum {string} */
        DriftCause: "collection_lost" | "points_differ" | "store_behind" | "database_behind";
        DriftReportDto: {
            /**
             * @description Kind of the report.
             * @enum {string}
             */
            kind: "drift";
            /** @description `collection_lost`: the collection was missing, or dropped and created again. `points_differ`: points were lost or added. `store_behind`: the newest points are missing, as after restoring a snapshot. `database_behind`: the store has points of a run that Postgres does not know, as after restoring a backup. */
            cause: components["schemas"]["DriftCause"];
            /**
             * @description Points that the manifest said were there.
             * @example 30
             */
            points_expected: number;
            /**
             * @description Points that were there.
             * @example 0
             */
            points_found: number;
            /**
             * @description Points that were missing and are stored again.
             * @example 30
             */
            points_missing: number;
            /**
             * @description Points of a path or version that is not in the manifest; removed.
             * @example 0
             */
            points_stale: number;
            /**
             * @description Second points of a chunk; removed.
             * @example 0
             */
            points_doubled: number;
            /** @description The files of all these points. */
            points_in: components["schemas"]["PathSampleDto"];
            /**
             * @description Repositories that Postgres does not know, whose points were removed from the collection.
             * @example 0
             */
            stray_repositories: number;
            /**
             * @description The points of those repositories.
             * @example 0
             */
            stray_points: number;
            /**
             * @description Removed collections of this installation that Postgres does not know, as after an older backup was restored.
             * @example 0
             */
            stray_collections: number;
        };
        DryRunCertaintyDto: {
            /** @description How certain `fetch_requests` is. */
            fetch_requests: components["schemas"]["Certainty"];
            /** @description How certain `bytes_fetched` is. */
            bytes_fetched: components["schemas"]["Certainty"];
            /** @description How certain `chunks_embedded` is. */
            chunks_embedded: components["schemas"]["Certainty"];
            /** @description How certain `chunks_deleted` is. */
            chunks_deleted: components["schemas"]["Certainty"];
            /** @description How certain `embedding_tokens` is. */
            embedding_tokens: components["schemas"]["Certainty"];
        };
        DryRunReportDto: {
            /**
             * @description Kind of the report.
             * @enum {string}
             */
            kind: "dry_run";
            /**
             * @description The commit that the index is at.
             * @example 1f0e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c
             */
            from_commit: string | null;
            /**
             * @description The commit that a sync would reach.
             * @example 8f2c1e0d9b7a6c5d4e3f2a1b0c9d8e7f6a5b4c3d
             */
            to_commit: string;
            /**
             * @description There is nothing to do.
             * @example false
             */
            is_in_sync: boolean;
            /** @description Files whose content would be read. */
            fetched: components["schemas"]["PathSampleDto"];
            /** @description Files whose content is in the index under another path: nothing is embedded. */
            copied: components["schemas"]["PathSampleDto"];
            /** @description Files that were removed, and former paths of renamed files. */
            deleted: components["schemas"]["PathSampleDto"];
            /** @description Files that a rule leaves out by their path; rules on content are not checked. */
            skipped: components["schemas"]["PathSampleDto"];
            /**
             * @description How most content would be read; null when none is needed.
             * @enum {string|null}
             */
            fetch_way: "objects" | "archive" | "graphql" | "blobs" | null;
            /**
             * @description Requests to GitLab that made this plan; a sync makes them too.
             * @example 4
             */
            plan_requests: number;
            /**
             * @description Requests to read the content.
             * @example 1
             */
            fetch_requests: number;
            /**
             * @description Bytes to read.
             * @example 48213
             */
            bytes_fetched: number;
            /**
             * @description Chunks to embed, if the embedding cache holds none of their texts.
             * @example 12
             */
            chunks_embedded: number;
            /**
             * @description Chunks that are stored under another path with their existing vector.
             * @example 0
             */
            chunks_copied: number;
            /**
             * @description Chunks that leave the index, former versions included.
             * @example 0
             */
            chunks_deleted: number;
            /**
             * @description Tokens to embed, at 3 characters a token.
             * @example 25000
             */
            embedding_tokens: number;
            /** @description Which of the numbers are estimates. */
            certainty: components["schemas"]["DryRunCertaintyDto"];
            /**
             * @description How the estimates were made.
             * @example 3 content(s) as large as their file was before, 1 of 2310 bytes, the average of the manifest; 3 characters a token; no text found in the embedding cache
             */
            estimated_from: string;
            /** @description What has no effect in the rule files of the tree. */
            warnings: components["schemas"]["RuleWarningDto"][];
        };
        DurationsDto: {
            /**
             * @description Runs that started and ended, however they ended: the others have no duration.
             * @example 165
             */
            runs: number;
            /**
             * @description Mean.
             * @example 12.4
             */
            mean_seconds: number | null;
            /**
             * @description Half of the runs took no longer.
             * @example 8.1
             */
            p50_seconds: number | null;
            /**
             * @description 95 % of the runs took no longer.
             * @example 41.7
             */
            p95_seconds: number | null;
            /**
             * @description The longest.
             * @example 318.2
             */
            max_seconds: number | null;
            /**
             * @description False: p50 and p95 are off by up to 1 %, because rows were deleted or very many runs took equally long.
             * @example true
             */
            is_exact: boolean;
        };
        EventDeliveryDto: {
            /**
             * Format: uuid
             * @description Its `webhook-id`, the same with each attempt.
             * @example 0b0f1c9e-5f0e-4a55-8f0e-3a2f6f1d7c11
             */
            id: string;
            /**
             * @description What happened.
             * @example run.finished
             * @enum {string}
             */
            event_type: "run.finished" | "repository.failing" | "repository.recovered" | "index.drifted" | "index.lost" | "webhook.test";
            /**
             * @description `pending`: another attempt follows. `delivered`: the receiver answered 2xx. `failed`: no attempt is left.
             * @example delivered
             * @enum {string}
             */
            status: "pending" | "delivered" | "failed";
            /**
             * @description How often it was sent.
             * @example 1
             */
            attempts: number;
            /**
             * Format: date-time
             * @description When it is sent again; null: never.
             * @example 2026-11-20T09:00:00.000Z
             */
            next_attempt_at: string | null;
            /**
             * @description HTTP status of the last answer; null: there was none.
             * @example 204
             */
            response_status: number | null;
            /**
             * @description Why the last attempt failed.
             * @example The receiver answered 500.
             */
            error: string | null;
            /**
             * @description The JSON that is sent.
             * @example {"type":"run.finished","timestamp":"2026-11-20T09:00:00.000Z","data":{}}
             */
            body: string;
            /**
             * Format: date-time
             * @description When the event was written for this webhook.
             * @example 2026-11-20T09:00:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it was last sent.
             * @example 2026-11-20T09:00:00.000Z
             */
            last_attempt_at: string | null;
        };
        EventDeliveryListDto: {
            items: components["schemas"]["EventDeliveryDto"][];
            /**
             * @description How many match, on all pages.
             * @example 1
             */
            total: number;
        };
        /** @enum {string} */
        EventType: "run.finished" | "repository.failing" | "repository.recovered" | "index.drifted" | "index.lost";
        EventWebhookDto: {
            /**
             * Format: uuid
             * @description Id of the webhook.
             * @example 0b0f1c9e-5f0e-4a55-8f0e-3a2f6f1d7c11
             */
            id: string;
            /**
             * @description A name that distinguishes it from others.
             * @example chat
             */
            name: string;
            /**
             * Format: uri
             * @description Receives each event as a POST. Its host must be allowed by `OUTGOING_ALLOWED_HOSTS`.
             * @example https://hooks.example.com/repotide
             */
            url: string;
            /**
             * @description What is sent.
             * @example [
             *       "run.finished"
             *     ]
             */
            events: components["schemas"]["EventType"][];
            /**
             * @description Only events of projects that these patterns match, in the form of the scope of a token. Null: of all.
             * @example [
             *       "platform"
             *     ]
             */
            scope: string[] | null;
            /**
             * @description Whether events are sent.
             * @example true
             */
            is_enabled: boolean;
            /**
             * @description Why nothing is sent; null while it is enabled.
             * @example It was disabled by hand.
             */
            disabled_reason: string | null;
            /**
             * Format: date-time
             * @description Since when no delivery has succeeded; null: the last one did.
             * @example 2026-11-20T09:00:00.000Z
             */
            failing_since: string | null;
            /**
             * Format: date-time
             * @description When a delivery last succeeded.
             * @example 2026-11-20T09:00:00.000Z
             */
            last_delivered_at: string | null;
            /**
             * @description Deliveries that wait for their next attempt.
             * @example 0
             */
            pending_count: number;
            /**
             * @description Increases with each edit; the `ETag`.
             * @example 1
             */
            revision: number;
            /**
             * Format: date-time
             * @description When it was created.
             * @example 2026-11-20T09:00:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it was last edited.
             * @example 2026-11-20T09:00:00.000Z
             */
            updated_at: string;
        };
        EventWebhookListDto: {
            items: components["schemas"]["EventWebhookDto"][];
            /**
             * @description How many match, on all pages.
             * @example 1
             */
            total: number;
        };
        ExecutionDto: {
            /**
             * Format: uuid
             * @description Id of the execution; the `task_id` of its progress.
             * @example 0b0f1c9e-5f0e-4a55-8f0e-3a2f6f1d7c11
             */
            id: string;
            /**
             * Format: uuid
             * @description The repository that it syncs.
             * @example 0b0f1c9e-5f0e-4a55-8f0e-3a2f6f1d7c11
             */
            repository_id: string;
            /**
             * @description Full path of its project.
             * @example group/project
             */
            project_path: string;
            /**
             * @description Its branch.
             * @example main
             */
            branch: string;
            /**
             * Format: uuid
             * @description The schedule that started it; null for a manual run.
             * @example 0b0f1c9e-5f0e-4a55-8f0e-3a2f6f1d7c11
             */
            schedule_session_id: string | null;
            /** @description What started the run. */
            trigger: components["schemas"]["ExecutionTrigger"];
            /** @description What the run does. */
            handler: components["schemas"]["RunHandler"];
            /**
             * Format: date-time
             * @description The tick of the schedule; null when no schedule started it.
             * @example 2026-11-20T09:00:00.000Z
             */
            scheduled_for: string | null;
            /** @description State of the execution. */
            status: components["schemas"]["ExecutionStatus"];
            /**
             * @description Stable name of why it did not complete.
             * @example branch_not_found
             */
            error_code: string | null;
            /**
             * @description What was found, what was expected and what to change.
             * @example The branch "main" does not exist.
             */
            error_message: string | null;
            /**
             * Format: date-time
             * @description When it was queued.
             * @example 2026-11-20T09:00:00.000Z
             */
            queued_at: string;
            /**
             * Format: date-time
             * @description When its current attempt started.
             * @example 2026-11-20T09:00:00.000Z
             */
            started_at: string | null;
            /**
             * Format: date-time
             * @description When it ended.
             * @example 2026-11-20T09:00:00.000Z
             */
            completed_at: string | null;
            /**
             * @description How long it took.
             * @example 3.2
             */
            duration_seconds: number | null;
            /**
             * @description Number of the current attempt.
             * @example 1
             */
            attempt: number;
            /**
             * @description How often its pod was lost during an attempt.
             * @example 0
             */
            interruptions: number;
            /**
             * @description The pod that runs or ran it.
             * @example repotide-0
             */
            pod_name: string | null;
            /**
             * @description Name of the token that requested it.
             * @example ci
             */
            requested_by: string | null;
            /**
             * @description It fetches, chunks and stores everything again.
             * @example false
             */
            full_sync: boolean;
            /**
             * @description Estimated tokens that the caller allows it to embed; null: no limit by the caller.
             * @example null
             */
            max_embedding_tokens: number | null;
            /**
             * Format: uuid
             * @description The ended execution that it repeats.
             * @example 0b0f1c9e-5f0e-4a55-8f0e-3a2f6f1d7c11
             */
            retry_of_execution_id: string | null;
            /**
             * @description How its last attempt read the code host, with the number of requests: through git, or through the REST API with the reason why git was not used.
             * @example head 1, tree 101, archive 1 (rest: source_access_denied)
             */
            fetch_strategy: string | null;
            /**
             * @description Changed files that the run processed: added, modified, renamed and deleted.
             * @example 12
             */
            files_processed: number;
            /**
             * @description New files.
             * @example 12
             */
            files_added: number;
            /**
             * @description Files whose content changed.
             * @example 12
             */
            files_modified: number;
            /**
             * @description Files whose content moved to another path.
             * @example 12
             */
            files_renamed: number;
            /**
             * @description Files that were removed.
             * @example 12
             */
            files_deleted: number;
            /**
             * @description Processed files that a rule excludes from the index: binary, too large, ignored and so on.
             * @example 12
             */
            files_skipped: number;
            /**
             * @description Files that failed; the next run retries them.
             * @example 12
             */
            files_failed: number;
            /**
             * @description Points stored.
             * @example 12
             */
            chunks_upserted: number;
            /**
             * @description Points removed.
             * @example 12
             */
            chunks_deleted: number;
            /**
             * @description Texts sent to the embedder.
             * @example 12
             */
            embeddings_requested: number;
            /**
             * @description Estimated tokens of those texts, at 3 characters per token. Budgets count these.
             * @example 12
             */
            embedding_tokens: number;
            /**
             * @description Vectors taken from the cache, or copied from points with the same content.
             * @example 12
             */
            embeddings_reused: number;
            /**
             * @description HTTP requests to the code host, including retries.
             * @example 12
             */
            source_requests: number;
            /**
             * @description Requests to the code host that repeated a failed one.
             * @example 12
             */
            source_retries: number;
            /**
             * @description Bytes fetched from the code host.
             * @example 12
             */
            bytes_fetched: number;
            /**
             * @description Whole seconds that requests waited for the limits of a code host or an embedding server.
             * @example 12
             */
            rate_limited_seconds: number;
            /**
             * @description The commit that the index was at before.
             * @example 1f0e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c
             */
            from_commit: string | null;
            /**
             * @description The commit that it brought the index to.
             * @example 8f2c1e0d9b7a6c5d4e3f2a1b0c9d8e7f6a5b4c3d
             */
            to_commit: string | null;
            /**
             * @description Further due ticks that this row stands for.
             * @example 0
             */
            coalesced_count: number;
            /**
             * Format: date-time
             * @description The last tick of a row that stands for a backlog of ticks.
             * @example 2026-11-20T09:00:00.000Z
             */
            scheduled_until: string | null;
            /**
             * Format: uuid
             * @description The execution whose run satisfied this tick.
             * @example 0b0f1c9e-5f0e-4a55-8f0e-3a2f6f1d7c11
             */
            satisfied_by: string | null;
            /**
             * Format: date-time
             * @description When its cancellation was requested.
             * @example 2026-11-20T09:00:00.000Z
             */
            cancel_requested_at: string | null;
            /**
             * Format: date-time
             * @description It stays queued until then before the next attempt; null: it may start at once.
             * @example 2026-11-20T09:00:00.000Z
             */
            available_at: string | null;
            /**
             * Format: date-time
             * @description When its pod last sent a heartbeat.
             * @example 2026-11-20T09:00:00.000Z
             */
            heartbeat_at: string | null;
            /**
             * @description Fencing number of its writes; 0 until it starts.
             * @example 7
             */
            fence: number;
            /**
             * @description Result of a dry run, a verify or a repair; null for other runs, and until the run has ended.
             * @example null
             */
            report: components["schemas"]["DryRunReportDto"] | components["schemas"]["VerifyReportDto"] | components["schemas"]["DriftReportDto"] | (never | null);
        };
        ExecutionFileDto: {
            /**
             * @description Path from the root of the repository.
             * @example src/main.ts
             */
            path: string;
            /** @description Whether it failed, or a rule left it out. */
            status: components["schemas"]["ExecutionFileStatus"];
            /**
             * @description Stable name of the error, or of the rule that left it out.
             * @example embedding_request_refused
             */
            error_code: string;
            /**
             * @description What was found, what was expected.
             * @example The embedding server answered 400.
             */
            message: string | null;
        };
        ExecutionFileListDto: {
            items: components["schemas"]["ExecutionFileDto"][];
            /**
             * @description How many match, on all pages.
             * @example 1
             */
            total: number;
        };
        /** @enum {string} */
        ExecutionFileStatus: "failed" | "skipped";
        ExecutionListDto: {
            items: components["schemas"]["ExecutionDto"][];
            /**
             * @description How many match, on all pages.
             * @example 1
             */
            total: number;
        };
        /** @enum {string} */
        ExecutionStatus: "queued" | "running" | "completed" | "partial" | "failed" | "cancelled" | "missed" | "skipped";
        /** @enum {string} */
        ExecutionTrigger: "cron" | "manual" | "webhook" | "recovery";
        /** @enum {string} */
        ExportFormat: "csv" | "json";
        FacetDto: {
            /**
             * @description The value to filter by.
             * @example typescript
             */
            value: string;
            /**
             * @description Candidates with it.
             * @example 7
             */
            count: number;
        };
        FacetsDto: {
            /** @description By language. */
            languages: components["schemas"]["FacetDto"][];
            /** @description By repository. */
            repositories: components["schemas"]["RepositoryFacetDto"][];
            /** @description By kind: code, docs, tests, config. */
            kinds: components["schemas"]["FacetDto"][];
        };
        FailureBreakdownDto: {
            /**
             * Format: date-time
             * @description Runs queued from here on; the midnight (UTC) before `from` where rows were deleted.
             * @example 2026-11-20T09:00:00.000Z
             */
            from: string;
            /**
             * Format: date-time
             * @description Runs queued before this.
             * @example 2026-11-20T09:00:00.000Z
             */
            to: string;
            /**
             * Format: date-time
             * @description Executions queued before this were deleted by retention. Numbers over all repositories include them; those of one repository or schedule do not. Null when none was deleted yet.
             * @example 2026-11-20T09:00:00.000Z
             */
            rows_deleted_before: string | null;
            /**
             * @description The time zone of the hours.
             * @example Europe/Berlin
             */
            timezone: string;
            /** @description All of the range. */
            total: components["schemas"]["FailureCountsDto"];
            /** @description 24 entries, by the hour in which the run was queued. */
            by_hour: components["schemas"]["FailuresByHourDto"][];
            /** @description Most failures first. */
            by_repository: components["schemas"]["FailuresByRepositoryDto"][];
            /** @description Most failures first. */
            by_error_code: components["schemas"]["FailuresByErrorCodeDto"][];
        };
        FailureCountsDto: {
            /**
             * @description Failed, partial and missed together.
             * @example 4
             */
            failures: number;
            /**
             * @description Ended by an error.
             * @example 2
             */
            failed: number;
            /**
             * @description Completed, except for files that failed.
             * @example 1
             */
            partial: number;
            /**
             * @description Ticks that were found too late to run.
             * @example 1
             */
            missed: number;
        };
        FailuresByErrorCodeDto: {
            /**
             * @description Stable name of the error; null where none was recorded.
             * @example branch_not_found
             */
            error_code: string | null;
            /**
             * @description Failed, partial and missed together.
             * @example 4
             */
            failures: number;
            /**
             * @description Ended by an error.
             * @example 2
             */
            failed: number;
            /**
             * @description Completed, except for files that failed.
             * @example 1
             */
            partial: number;
            /**
             * @description Ticks that were found too late to run.
             * @example 1
             */
            missed: number;
        };
        FailuresByHourDto: {
            /**
             * @description Hour of the day.
             * @example 3
             */
            hour: number;
            /**
             * @description Failed, partial and missed together.
             * @example 4
             */
            failures: number;
            /**
             * @description Ended by an error.
             * @example 2
             */
            failed: number;
            /**
             * @description Completed, except for files that failed.
             * @example 1
             */
            partial: number;
            /**
             * @description Ticks that were found too late to run.
             * @example 1
             */
            missed: number;
        };
        FailuresByRepositoryDto: {
            /**
             * Format: uuid
             * @description The repository, deleted or not.
             * @example 0b0f1c9e-5f0e-4a55-8f0e-3a2f6f1d7c11
             */
            repository_id: string;
            /**
             * @description Full path of its project.
             * @example group/project
             */
            project_path: string;
            /**
             * @description Its branch.
             * @example main
             */
            branch: string;
            /**
             * @description Failed, partial and missed together.
             * @example 4
             */
            failures: number;
            /**
             * @description Ended by an error.
             * @example 2
             */
            failed: number;
            /**
             * @description Completed, except for files that failed.
             * @example 1
             */
            partial: number;
            /**
             * @description Ticks that were found too late to run.
             * @example 1
             */
            missed: number;
        };
        FieldErrorDto: {
            /**
             * @description Name of the refused field or parameter.
             * @example cron_expression
             */
            field: string;
            /**
             * @description What was expected.
             * @example cron_expression must be text of 1 to 200 characters without NUL.
             */
            message: string;
            /**
             * @description The given value; left out when it is missing, large or may be a secret.
             * @example 61 * * * *
             */
            found?: (string | null) | number | boolean;
        };
        FileDto: {
            /**
             * @description Path from the root of the repository.
             * @example src/main.ts
             */
            path: string;
            /** @description State of the file in the index. */
            status: components["schemas"]["FileStatus"];
            /**
             * @description Git blob SHA of the file.
             * @example 9d1dcfdaf1a6857c5f83dc27019c7600e1ffaff8
             */
            blob_sha: string;
            /**
             * @description Size; null when it was never fetched.
             * @example 12
             */
            size_bytes: number | null;
            /**
             * @description Language by name and content.
             * @example typescript
             */
            language: string | null;
            /**
             * @description Points of the file in the index.
             * @example 12
             */
            chunk_count: number;
            /**
             * Format: date-time
             * @description When its points were stored.
             * @example 2026-11-20T09:00:00.000Z
             */
            indexed_at: string | null;
            /**
             * @description Why it is not indexed: excluded, not_included, ignored, generated, vendored, marked_binary, secret, submodule, symlink, empty, binary, too_large, lfs_pointer, minified, too_costly, unsupported_encoding.
             * @example too_large
             */
            skip_reason: string | null;
            /**
             * @description The numbers or the rule behind the reason.
             * @example .repotideignore line 3: "docs/**"
             */
            skip_detail: string | null;
            /**
             * @description Why it failed; the next run tries it again.
             * @example The embedding server answered 400: the input is too long.
             */
            last_error: string | null;
            /**
             * @description Secrets found in it; they are not in the index.
             * @example 12
             */
            secrets_found: number;
            /**
             * @description Lines of the secrets and the rules that found them, never the secrets.
             * @example gitlab-token line 3, private-key lines 10-36
             */
            secret_detail: string | null;
        };
        FileListDto: {
            items: components["schemas"]["FileDto"][];
            /**
             * @description How many match, on all pages.
             * @example 1
             */
            total: number;
        };
        /** @enum {string} */
        FileStatus: "indexed" | "skipped" | "failed";
        FolderDto: {
            /**
             * @description Path from the root of the repository.
             * @example src/app
             */
            path: string;
            /**
             * @description The folder above; empty: the root.
             * @example src
             */
            parent_path: string | null;
            /**
             * @description Files below it, at any depth.
             * @example 12
             */
            file_count: number;
            /**
             * @description Files below it that are in the index.
             * @example 12
             */
            indexed_file_count: number;
            /**
             * @description Total size of the files below it.
             * @example 48213
             */
            size_bytes: number;
        };
        FolderListDto: {
            items: components["schemas"]["FolderDto"][];
            /**
             * @description How many match, on all pages.
             * @example 1
             */
            total: number;
        };
        FreshnessDto: {
            /**
             * @description Head of the branch at the last completed sync.
             * @example 8f2c1e0d9b7a6c5d4e3f2a1b0c9d8e7f6a5b4c3d
             */
            synced_commit: string | null;
            /**
             * Format: date-time
             * @description When the index last equalled the head of the branch.
             * @example 2026-11-20T09:00:00.000Z
             */
            last_sync_at: string | null;
            /**
             * @description Seconds since then.
             * @example 240
             */
            age_seconds: number | null;
        };
        GateQuestionDto: {
            /**
             * @description A query.
             * @example where is the lease renewed
             */
            question: string;
            /**
             * @description Where its answer is: a path, or `path:line`.
             * @example src/lease.ts:40
             */
            expected: string;
            /**
             * @description Search only this repository: full path of a project, `<path>@<branch>`, or an id.
             * @example group/project
             */
            repository?: string;
        };
        GateVerdictDto: {
            /**
             * @description Whether it answers the questions well enough.
             * @example true
             */
            is_passed: boolean;
            /**
             * @description Questions of the gate.
             * @example 40
             */
            questions: number;
            /**
             * @description nDCG@10 of the index that searches use.
             * @example 0.81
             */
            active_ndcg: number;
            /**
             * @description nDCG@10 of this one.
             * @example 0.83
             */
            building_ndcg: number;
            /**
             * Format: date-time
             * @description When they were compared.
             * @example 2026-11-20T09:00:00.000Z
             */
            judged_at: string;
        };
        HighlightDto: {
            /**
             * @description Line of the file, from 1.
             * @example 12
             */
            line: number;
            /**
             * @description First character in this line, from 0, in UTF-16 code units.
             * @example 7
             */
            start: number;
            /**
             * @description The character after the last one.
             * @example 12
             */
            end: number;
        };
        HistorySummaryDto: {
            /**
             * Format: date-time
             * @description Runs queued from here on; the midnight (UTC) before `from` where rows were deleted.
             * @example 2026-11-20T09:00:00.000Z
             */
            from: string;
            /**
             * Format: date-time
             * @description Runs queued before this.
             * @example 2026-11-20T09:00:00.000Z
             */
            to: string;
            /**
             * Format: date-time
             * @description Executions queued before this were deleted by retention. Numbers over all repositories include them; those of one repository or schedule do not. Null when none was deleted yet.
             * @example 2026-11-20T09:00:00.000Z
             */
            rows_deleted_before: string | null;
            /**
             * @description All runs of the range.
             * @example 168
             */
            total_runs: number;
            /** @description Runs by status. */
            runs: components["schemas"]["RunsByStatusDto"];
            /**
             * @description Completed among completed, partial and failed; null when there is none of these.
             * @example 0.9697
             */
            success_rate: number | null;
            /** @description How long runs took. */
            durations: components["schemas"]["DurationsDto"];
            /** @description What they did. */
            totals: components["schemas"]["WorkTotalsDto"];
            /** @description A lease life that fits these runs. */
            suggested_lease_ttl: components["schemas"]["SuggestedLeaseTtlDto"];
        };
        IdentityDto: {
            /**
             * @description Name of the token, or of the user that single sign-on names.
             * @example ci
             */
            name: string;
            /** @description Its role. */
            role: components["schemas"]["Role"];
            /**
             * @description Patterns of the project paths that it may see and change, such as `platform`, which includes all below the group, or `web/*-service`. Null: everything.
             * @example [
             *       "platform"
             *     ]
             */
            scope: string[] | null;
        };
        IndexCheckDto: {
            /** @description Files of the tree that are not in the manifest. */
            files_missing: components["schemas"]["PathSampleDto"];
            /** @description Files whose content or mode differs in the manifest. */
            files_stale: components["schemas"]["PathSampleDto"];
            /** @description Files of the manifest that are not in the tree. */
            files_extra: components["schemas"]["PathSampleDto"];
            /** @description Files that failed in the last sync. */
            files_failed: components["schemas"]["PathSampleDto"];
            /**
             * @description Points that the index lacks.
             * @example 0
             */
            points_missing: number;
            /**
             * @description Points of a path or version that is not in the manifest.
             * @example 0
             */
            points_stale: number;
            /**
             * @description Second points of a chunk.
             * @example 0
             */
            points_doubled: number;
            /**
             * @description Points whose text changed after it was stored.
             * @example 0
             */
            points_changed: number;
            /**
             * @description Points that a search by words does not find, because their terms were lost.
             * @example 0
             */
            points_without_terms: number;
            /** @description The files of these points, without those that only lack terms. */
            points_in: components["schemas"]["PathSampleDto"];
            /**
             * @description The commit compared with; null before the first completed sync.
             * @example 8f2c1e0d
             */
            commit: string | null;
            /**
             * @description The index is exactly the tree at that commit.
             * @example true
             */
            is_equal: boolean;
            /**
             * @description Rows of the manifest compared with the tree.
             * @example 12
             */
            files_checked: number;
            /**
             * @description Points compared with the manifest.
             * @example 57
             */
            points_checked: number;
        };
        IndexDriftDto: {
            /**
             * @description Files that differed from the tree.
             * @example 0
             */
            files: number;
            /**
             * @description Points that were missing, outdated, duplicate or changed.
             * @example 2
             */
            points: number;
        };
        KeyRotationDto: {
            /**
             * @description Secrets that were encrypted again.
             * @example 12
             */
            resealed: number;
            /**
             * @description Ids of credentials and webhooks that were encrypted under a key that this pod does not have.
             * @example []
             */
            unreadable: string[];
        };
        LivenessDto: {
            /**
             * @description The process answers.
             * @enum {string}
             */
            status: "ok";
        };
        LockDto: {
            /**
             * Format: uuid
             * @description The repository that it keeps for one run.
             * @example 0b0f1c9e-5f0e-4a55-8f0e-3a2f6f1d7c11
             */
            repository_id: string;
            /**
             * @description Full path of its project; null when it is unknown.
             * @example group/project
             */
            project_path: string | null;
            /**
             * @description The branch that it follows; null when it is unknown.
             * @example main
             */
            branch: string | null;
            /**
             * @description The pod that holds it.
             * @example repotide-0
             */
            pod_name: string;
            /**
             * Format: uuid
             * @description The execution that it is held for.
             * @example 0b0f1c9e-5f0e-4a55-8f0e-3a2f6f1d7c11
             */
            execution_id: string;
            /**
             * @description Fencing number of its writes.
             * @example 7
             */
            fence: number;
            /**
             * Format: date-time
             * @description Start of the attempt that holds it; null when the execution is unknown.
             * @example 2026-11-20T09:00:00.000Z
             */
            held_since: string | null;
            /**
             * Format: date-time
             * @description When it ends unless it is renewed; null when it lives as long as its holder’s connection or process.
             * @example 2026-11-20T09:00:00.000Z
             */
            expires_at: string | null;
            /** @description State of the execution; null when it is unknown. */
            execution_status: components["schemas"]["ExecutionStatus"] | (never | null);
            /**
             * Format: date-time
             * @description When the execution last sent a heartbeat.
             * @example 2026-11-20T09:00:00.000Z
             */
            heartbeat_at: string | null;
            /**
             * Format: date-time
             * @description When its cancellation was requested.
             * @example 2026-11-20T09:00:00.000Z
             */
            cancel_requested_at: string | null;
        };
        LockListDto: {
            items: components["schemas"]["LockDto"][];
            /**
             * @description How many match, on all pages.
             * @example 1
             */
            total: number;
        };
        MissingRepositoryDto: {
            /**
             * @description The numeric id of the project.
             * @example 42
             */
            project_id: number;
            /**
             * @description Full path of the project.
             * @example team/platform/api
             */
            project_path: string;
            /**
             * @description The branch.
             * @example main
             */
            branch: string;
            /**
             * Format: uuid
             * @description Id of the repository.
             * @example 0b0f1c9e-5f0e-4a55-8f0e-3a2f6f1d7c11
             */
            repository_id: string;
            /**
             * Format: date-time
             * @description Since when it is missing; null: since this dry run.
             * @example 2026-11-20T09:00:00.000Z
             */
            missing_since: string | null;
            /**
             * Format: date-time
             * @description From when on a run retires it, if it stays missing; null: the grace begins with the next run.
             * @example 2026-11-20T09:00:00.000Z
             */
            retires_at: string | null;
        };
        NewEventWebhookDto: {
            /**
             * Format: uuid
             * @description Id of the webhook.
             * @example 0b0f1c9e-5f0e-4a55-8f0e-3a2f6f1d7c11
             */
            id: string;
            /**
             * @description A name that distinguishes it from others.
             * @example chat
             */
            name: string;
            /**
             * Format: uri
             * @description Receives each event as a POST. Its host must be allowed by `OUTGOING_ALLOWED_HOSTS`.
             * @example https://hooks.example.com/repotide
             */
            url: string;
            /**
             * @description What is sent.
             * @example [
             *       "run.finished"
             *     ]
             */
            events: components["schemas"]["EventType"][];
            /**
             * @description Only events of projects that these patterns match, in the form of the scope of a token. Null: of all.
             * @example [
             *       "platform"
             *     ]
             */
            scope: string[] | null;
            /**
             * @description Whether events are sent.
             * @example true
             */
            is_enabled: boolean;
            /**
             * @description Why nothing is sent; null while it is enabled.
             * @example It was disabled by hand.
             */
            disabled_reason: string | null;
            /**
             * Format: date-time
             * @description Since when no delivery has succeeded; null: the last one did.
             * @example 2026-11-20T09:00:00.000Z
             */
            failing_since: string | null;
            /**
             * Format: date-time
             * @description When a delivery last succeeded.
             * @example 2026-11-20T09:00:00.000Z
             */
            last_delivered_at: string | null;
            /**
             * @description Deliveries that wait for their next attempt.
             * @example 0
             */
            pending_count: number;
            /**
             * @description Increases with each edit; the `ETag`.
             * @example 1
             */
            revision: number;
            /**
             * Format: date-time
             * @description When it was created.
             * @example 2026-11-20T09:00:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it was last edited.
             * @example 2026-11-20T09:00:00.000Z
             */
            updated_at: string;
            /**
             * @description Signs the deliveries; shown only now.
             * @example whsec_…
             */
            secret: string;
        };
        NewTokenDto: {
            /**
             * Format: uuid
             * @description Id of the token.
             * @example 0b0f1c9e-5f0e-4a55-8f0e-3a2f6f1d7c11
             */
            id: string;
            /**
             * @description Its name.
             * @example ci
             */
            name: string;
            /** @description Its role. */
            role: components["schemas"]["Role"];
            /**
             * @description Patterns of the project paths that it may see and change, such as `platform`, which includes all below the group, or `web/*-service`. Null: everything.
             * @example [
             *       "platform"
             *     ]
             */
            scope: string[] | null;
            /**
             * @description Whether it is accepted now.
             * @example true
             */
            is_valid: boolean;
            /**
             * @description Name of the token that created it; null: it comes from the configuration.
             * @example platform-admin
             */
            created_by: string | null;
            /**
             * Format: date-time
             * @description When it was created.
             * @example 2026-11-20T09:00:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it expires; null: never.
             * @example 2026-11-20T09:00:00.000Z
             */
            expires_at: string | null;
            /**
             * Format: date-time
             * @description When it was last used, to the minute.
             * @example 2026-11-20T09:00:00.000Z
             */
            last_used_at: string | null;
            /**
             * Format: date-time
             * @description When it was revoked.
             * @example 2026-11-20T09:00:00.000Z
             */
            revoked_at: string | null;
            /**
             * @description The token itself, shown only now: only its hash is stored.
             * @example rtd_…
             */
            token: string;
        };
        NotReadyProblemDto: {
            /**
             * Format: uri
             * @description Kind of the problem; ends in `code`.
             * @example urn:repotide:problem:repository_not_found
             */
            type: string;
            /**
             * @description The meaning of the HTTP status.
             * @example Not Found
             */
            title: string;
            /**
             * @description The HTTP status.
             * @example 404
             */
            status: number;
            /**
             * @description What was found, what was expected and what to change.
             * @example There is no repository 0b0f1c9e-5f0e-4a55-8f0e-3a2f6f1d7c11.
             */
            detail: string;
            /**
             * @description Stable name for programs.
             * @example repository_not_found
             */
            code: string;
            /**
             * Format: uri-reference
             * @description Path of the request.
             * @example /api/v1/repositories/0b0f1c9e-5f0e-4a55-8f0e-3a2f6f1d7c11
             */
            instance: string;
            /**
             * @description Also in the `X-Request-Id` header and on the log lines of this request.
             * @example 5a1d3f0e-8a55-4a7a-9a53-0c8a6c2f6a31
             */
            request_id: string;
            /** @description Each refused field. */
            errors?: components["schemas"]["FieldErrorDto"][];
            /** @description Each dependency; absent while the process shuts down. */
            checks?: components["schemas"]["DependenciesDto"];
            /** @description Each role of the process; absent while the process shuts down. */
            roles?: components["schemas"]["RoleReadinessDto"][];
        };
        OAuthGrantDto: {
            /** @description Application ID. */
            client_id: string;
            /** @description Secret of the application. */
            client_secret: string;
            /** @description As `/oauth/token` answered it. */
            access_token: string;
            /** @description Works once; from now on only Repotide may use it. */
            refresh_token: string;
            /**
             * Format: date-time
             * @description When the access token ends: `created_at` plus `expires_in`.
             * @example 2026-11-20T09:00:00.000Z
             */
            expires_at: string;
        };
        PathSampleDto: {
            /**
             * @description How many.
             * @example 2
             */
            files: number;
            /**
             * @description The first of them.
             * @example [
             *       "README.md",
             *       "src/main.ts"
             *     ]
             */
            first_paths: string[];
        };
        PodDto: {
            /**
             * @description Name of the pod; owner of leases and executions.
             * @example repotide-0
             */
            pod_name: string;
            /**
             * Format: uuid
             * @description Id of this start of the process.
             * @example 0b0f1c9e-5f0e-4a55-8f0e-3a2f6f1d7c11
             */
            boot_id: string;
            /**
             * @description Roles of the process.
             * @example [
             *       "api",
             *       "scheduler",
             *       "worker"
             *     ]
             */
            roles: ("api" | "scheduler" | "worker")[];
            /**
             * @description Version of the program.
             * @example 0.1.0
             */
            version: string;
            /**
             * @description Whether it is the leader, which does the periodic work for all pods.
             * @example true
             */
            is_leader: boolean;
            /**
             * @description Whether it sent a heartbeat within 45 s. A pod that stopped in order is not listed.
             * @example true
             */
            is_alive: boolean;
            /**
             * Format: date-time
             * @description When it started.
             * @example 2026-11-20T09:00:00.000Z
             */
            started_at: string;
            /**
             * Format: date-time
             * @description When it last sent a heartbeat.
             * @example 2026-11-20T09:00:00.000Z
             */
            seen_at: string;
        };
        ProblemDto: {
            /**
             * Format: uri
             * @description Kind of the problem; ends in `code`.
             * @example urn:repotide:problem:repository_not_found
             */
            type: string;
            /**
             * @description The meaning of the HTTP status.
             * @example Not Found
             */
            title: string;
            /**
             * @description The HTTP status.
             * @example 404
             */
            status: number;
            /**
             * @description What was found, what was expected and what to change.
             * @example There is no repository 0b0f1c9e-5f0e-4a55-8f0e-3a2f6f1d7c11.
             */
            detail: string;
            /**
             * @description Stable name for programs.
             * @example repository_not_found
             */
            code: string;
            /**
             * Format: uri-reference
             * @description Path of the request.
             * @example /api/v1/repositories/0b0f1c9e-5f0e-4a55-8f0e-3a2f6f1d7c11
             */
            instance: string;
            /**
             * @description Also in the `X-Request-Id` header and on the log lines of this request.
             * @example 5a1d3f0e-8a55-4a7a-9a53-0c8a6c2f6a31
             */
            request_id: string;
            /** @description Each refused field. */
            errors?: components["schemas"]["FieldErrorDto"][];
        };
        ProgressDto: {
            /**
             * Format: uuid
             * @description Id of the task: its execution.
             * @example 0b0f1c9e-5f0e-4a55-8f0e-3a2f6f1d7c11
             */
            task_id: string;
            /**
             * @description Name of the token that requested the run; null for a schedule.
             * @example ci
             */
            user_id: string | null;
            /**
             * @description The collection that it writes.
             * @example repotide
             */
            collection_name: string;
            /** @description The stage in whose range the progress is, or how it ended; `stages` has the work of each. */
            status: components["schemas"]["Stage"];
            /**
             * @description Per cent; never falls.
             * @example 42
             */
            progress: number;
            /**
             * @description The stage again, for displays that count steps.
             * @example embedding
             */
            current_step: string;
            /**
             * @description Number of steps.
             * @example 7
             */
            total_steps: number;
            /**
             * @description Number of the current step.
             * @example 6
             */
            current_step_number: number;
            /**
             * @description One line for people.
             * @example Indexing: 128 chunks read, 64 embedded, 0 stored
             */
            message: string;
            /**
             * @description Why it failed: code and message.
             * @example source_unavailable: GitLab does not answer.
             */
            error: string | null;
            /**
             * @description Full path of the project.
             * @example team/app
             */
            repository_path: string;
            /**
             * @description The branch.
             * @example main
             */
            branch: string;
            /**
             * @description Files that this run has to process.
             * @example 12
             */
            total_files: number;
            /**
             * @description Files processed so far.
             * @example 12
             */
            processed_files: number;
            /**
             * @description The file being processed.
             * @example src/main.ts
             */
            current_file: string | null;
            /**
             * @description Files that failed.
             * @example 0
             */
            failed_files: number;
            /**
             * Format: date-time
             * @description When the run began.
             * @example 2026-11-20T09:00:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When its progress last changed.
             * @example 2026-11-20T09:00:00.000Z
             */
            updated_at: string;
            /**
             * @description It was cancelled.
             * @example false
             */
            cancelled: boolean;
            /** @description What each stage has done. Those from downloading to storing work at the same time, so several are active. Empty before the work is planned. */
            stages: components["schemas"]["StageCountDto"][];
            /**
             * @description Since the present attempt began to work; null: too early to tell.
             * @example 12.5
             */
            files_per_second: number | null;
            /**
             * @description Seconds that are left at this pace; null: too early to tell.
             * @example 40
             */
            eta_seconds: number | null;
        };
        ProgressListDto: {
            items: components["schemas"]["ProgressDto"][];
            /**
             * @description How many match, on all pages.
             * @example 1
             */
            total: number;
        };
        ProgressStatsDto: {
            /**
             * @description Tasks whose progress is kept.
             * @example 12
             */
            total: number;
            /**
             * @description Number of tasks in each stage.
             * @example {
             *       "embedding": 2,
             *       "completed": 5
             *     }
             */
            by_status: {
                [key: string]: number;
            };
        };
        PurgeDto: {
            /**
             * Format: uuid
             * @description The repository that was deleted.
             * @example 0b0f1c9e-5f0e-4a55-8f0e-3a2f6f1d7c11
             */
            repository_id: string;
            /** @description `waiting`: its run has not started, or waits for its next attempt; `purged`: everything is removed. */
            status: components["schemas"]["PurgeStatus"];
            /**
             * Format: date-time
             * @description When it was deleted.
             * @example 2026-11-20T09:00:00.000Z
             */
            deleted_at: string;
            /**
             * Format: date-time
             * @description When the last of its points and file rows was removed; null until then.
             * @example 2026-11-20T09:00:00.000Z
             */
            purged_at: string | null;
            /**
             * Format: uuid
             * @description The newest run that removes it; null until one is queued.
             * @example 0b0f1c9e-5f0e-4a55-8f0e-3a2f6f1d7c11
             */
            execution_id: string | null;
            /**
             * @description Points that this run has removed.
             * @example 12
             */
            chunks_deleted: number;
        };
        /** @enum {string} */
        PurgeStatus: "waiting" | "running" | "purged";
        PutSearchGateDto: {
            /** @description The questions that both indexes answer. */
            questions: components["schemas"]["GateQuestionDto"][];
            /**
             * @description By how much nDCG@10 may fall.
             * @default 0
             */
            max_loss?: number;
        };
        ReadinessDto: {
            /**
             * @description The process serves the API, or, without that role, can do its work.
             * @enum {string}
             */
            status: "ok";
            /** @description Each dependency. */
            checks: components["schemas"]["DependenciesDto"];
            /** @description Each role of the process. */
            roles: components["schemas"]["RoleReadinessDto"][];
        };
        ReindexStartedDto: {
            collection: components["schemas"]["CollectionDto"];
            /**
             * @description Syncs that were queued, one for each repository.
             * @example 12
             */
            queued: number;
            /**
             * @description Repositories with a running or queued run; their next sync is for the new index.
             * @example 0
             */
            busy: number;
        };
        ReplaceDeclarationDto: {
            /** @description All resources that the files declare. */
            resources: components["schemas"]["DeclaredDto"][];
        };
        RepositoryDto: {
            /**
             * Format: uuid
             * @description Id of the repository.
             * @example 0b0f1c9e-5f0e-4a55-8f0e-3a2f6f1d7c11
             */
            id: string;
            /**
             * @description The kind of code host; `git`: registered by `git_url`, and read by git alone.
             * @example gitlab
             * @enum {string}
             */
            provider: "gitlab" | "git";
            /**
             * @description Address of the code host.
             * @example https://gitlab.example.com
             */
            base_url: string;
            /**
             * @description The numeric id of the project; null with the provider `git`.
             * @example 42
             */
            project_id: number | null;
            /**
             * @description Full path of the project, as last read from the code host. With the provider `git` its URL.
             * @example group/project
             */
            project_path: string;
            /**
             * @description The branch that is indexed.
             * @example main
             */
            branch: string;
            /**
             * @description The collection that holds the points.
             * @example repotide
             */
            collection_name: string;
            /**
             * @description Only these files; empty: all.
             * @example [
             *       "src/**"
             *     ]
             */
            include_globs: string[];
            /**
             * @description Not these files.
             * @example [
             *       "**\/*.snap"
             *     ]
             */
            exclude_globs: string[];
            /**
             * @description Larger files are not indexed.
             * @example 1048576
             */
            max_file_bytes: number;
            /**
             * @description Characters of a chunk.
             * @example 7000
             */
            chunk_size: number;
            /**
             * @description Characters that neighbouring chunks share.
             * @example 1500
             */
            chunk_overlap: number;
            /**
             * Format: uuid
             * @description The stored credential it is read with; null: the token of the environment.
             * @example 0b0f1c9e-5f0e-4a55-8f0e-3a2f6f1d7c11
             */
            credential_id: string | null;
            /**
             * Format: uuid
             * @description The discovery that registered it and may retire it; null: registered by hand.
             * @example 0b0f1c9e-5f0e-4a55-8f0e-3a2f6f1d7c11
             */
            discovery_id: string | null;
            /**
             * Format: date-time
             * @description Since when its discovery does not find it.
             * @example 2026-11-20T09:00:00.000Z
             */
            missing_since: string | null;
            /**
             * @description The commit that the index equals; null before the first completed run.
             * @example 8f2c1e0d9b7a6c5d4e3f2a1b0c9d8e7f6a5b4c3d
             */
            last_synced_commit: string | null;
            /**
             * Format: date-time
             * @description When the last run completed.
             * @example 2026-11-20T09:00:00.000Z
             */
            last_sync_at: string | null;
            /**
             * @description A run has written since the last completed one; the next run corrects the index.
             * @example false
             */
            index_dirty: boolean;
            /**
             * Format: date-time
             * @description Since when the collection with its points is missing or was replaced; a run restores them.
             * @example 2026-11-20T09:00:00.000Z
             */
            lost_since: string | null;
            /**
             * Format: date-time
             * @description When a verify or a repair last compared the whole index with the tree; null: never.
             * @example 2026-11-20T09:00:00.000Z
             */
            last_verified_at: string | null;
            /** @description What that comparison found. */
            last_drift: components["schemas"]["IndexDriftDto"] | (never | null);
            /** @description What has no effect in the rule files of the tree, as last read by a run. */
            warnings: components["schemas"]["RuleWarningDto"][];
            /**
             * @description Grows with every edit; the `ETag`.
             * @example 1
             */
            revision: number;
            /**
             * Format: date-time
             * @description When it was registered.
             * @example 2026-11-20T09:00:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When the row last changed.
             * @example 2026-11-20T09:00:00.000Z
             */
            updated_at: string;
            /**
             * Format: date-time
             * @description When it was deleted; only its executions are kept.
             * @example 2026-11-20T09:00:00.000Z
             */
            deleted_at: string | null;
        };
        RepositoryFacetDto: {
            /**
             * Format: uuid
             * @description Id of the repository.
             * @example 0b0f1c9e-5f0e-4a55-8f0e-3a2f6f1d7c11
             */
            value: string;
            /**
             * @description Candidates in it.
             * @example 7
             */
            count: number;
            /**
             * @description Its project and branch.
             * @example group/project@main
             */
            name: string;
        };
        RepositoryListDto: {
            items: components["schemas"]["RepositoryDto"][];
            /**
             * @description How many match, on all pages.
             * @example 1
             */
            total: number;
        };
        RepositorySettingsDto: {
            /**
             * @description Index only files that match one of these globs; empty: all.
             * @example [
             *       "src/**",
             *       "docs/**\/*.md"
             *     ]
             */
            include_globs?: string[];
            /**
             * @description Leave out files that match one of these globs.
             * @example [
             *       "**\/*.snap"
             *     ]
             */
            exclude_globs?: string[];
            /**
             * @description Larger files are not indexed. Default: `MAX_FILE_BYTES`.
             * @example 1048576
             */
            max_file_bytes?: number;
            /**
             * @description Characters of a chunk. Default: `CHUNK_SIZE`.
             * @example 7000
             */
            chunk_size?: number;
            /**
             * @description Characters that neighbouring chunks share. Default: `CHUNK_OVERLAP`.
             * @example 1500
             */
            chunk_overlap?: number;
            /**
             * Format: uuid
             * @description The stored credential to read it with; null: the token of the environment.
             */
            credential_id?: string | null;
            /**
             * @description Another branch, or the new name of a renamed one. Files that both have are not embedded again; their points keep the former name in `branch`.
             * @example main
             */
            branch?: string;
        };
        RepositoryStateCountsDto: {
            /**
             * @description Repositories that are failing.
             * @example 1
             */
            failing: number;
            /**
             * @description Repositories that are retrying.
             * @example 1
             */
            retrying: number;
            /**
             * @description Repositories that are drifting.
             * @example 1
             */
            drifting: number;
            /**
             * @description Repositories that are missing.
             * @example 1
             */
            missing: number;
            /**
             * @description Repositories that are incomplete.
             * @example 1
             */
            incomplete: number;
            /**
             * @description Repositories that are stale.
             * @example 1
             */
            stale: number;
            /**
             * @description Repositories that are waiting.
             * @example 1
             */
            waiting: number;
            /**
             * @description Repositories that are running.
             * @example 1
             */
            running: number;
            /**
             * @description Repositories that are queued.
             * @example 1
             */
            queued: number;
            /**
             * @description Repositories that are new.
             * @example 1
             */
            new: number;
            /**
             * @description Repositories that are paused.
             * @example 1
             */
            paused: number;
            /**
             * @description Repositories that are synced.
             * @example 1
             */
            synced: number;
        };
        RepositoryStateDto: {
            /**
             * Format: uuid
             * @description Id of the repository.
             * @example 0b0f1c9e-5f0e-4a55-8f0e-3a2f6f1d7c11
             */
            repository_id: string;
            /**
             * @description Full path of the project.
             * @example group/project
             */
            project_path: string;
            /**
             * @description The branch that is indexed.
             * @example main
             */
            branch: string;
            /**
             * @description Address of the code host.
             * @example https://gitlab.example.com
             */
            base_url: string;
            /** @description Of several that apply, the most urgent: `failing` (the last sync failed), `retrying` (the next attempt has a time), `drifting` (the index differs from the tree or was lost), `missing` (its discovery does not find it), `incomplete` (the last sync ended partially), `stale` (a tick passed without a sync), `waiting` (its run may not start yet), `running`, `queued`, `new` (never synced), `paused` (all its schedules are), `synced`. */
            state: components["schemas"]["RepositoryStateName"];
            /**
             * @description Why, in one sentence; null: nothing to say.
             * @example The host answered 401: the token is not accepted.
             */
            reason: string | null;
            /**
             * @description What to do about it; null: nothing.
             * @example Give the credential a new token; then retry.
             */
            remedy: string | null;
            /**
             * @description Stable name of the error behind it.
             * @example source_token_rejected
             */
            error_code: string | null;
            /**
             * Format: date-time
             * @description Since when.
             * @example 2026-11-20T09:00:00.000Z
             */
            since: string | null;
            /**
             * Format: date-time
             * @description When it is tried again or runs next; null: unknown.
             * @example 2026-11-20T09:00:00.000Z
             */
            until: string | null;
            /**
             * @description The commit that the index equals.
             * @example 8f2c1e0d9b7a6c5d4e3f2a1b0c9d8e7f6a5b4c3d
             */
            last_synced_commit: string | null;
            /**
             * Format: date-time
             * @description When the last sync completed.
             * @example 2026-11-20T09:00:00.000Z
             */
            last_sync_at: string | null;
            /**
             * Format: uuid
             * @description The last sync that completed, failed or ended partially.
             * @example 0b0f1c9e-5f0e-4a55-8f0e-3a2f6f1d7c11
             */
            last_execution_id: string | null;
            /** @description How it ended. */
            last_status: components["schemas"]["ExecutionStatus"] | (never | null);
            /**
             * Format: date-time
             * @description When it ended.
             * @example 2026-11-20T09:00:00.000Z
             */
            last_ended_at: string | null;
            /**
             * @description How long it took.
             * @example 3.2
             */
            last_duration_seconds: number | null;
            /**
             * Format: uuid
             * @description The run that is queued or runs now.
             * @example 0b0f1c9e-5f0e-4a55-8f0e-3a2f6f1d7c11
             */
            live_execution_id: string | null;
            /** @description Its status. */
            live_status: components["schemas"]["ExecutionStatus"] | (never | null);
            /**
             * Format: date-time
             * @description The next tick of its schedules; null: none.
             * @example 2026-11-20T09:00:00.000Z
             */
            next_run_at: string | null;
            /**
             * @description Its schedules.
             * @example 1
             */
            schedule_count: number;
            /**
             * @description Its schedules that are not paused.
             * @example 1
             */
            active_schedule_count: number;
            /**
             * @description Files of the tree that the index knows.
             * @example 420
             */
            file_count: number;
            /**
             * @description Files that are in the index.
             * @example 398
             */
            indexed_file_count: number;
            /**
             * @description Size of the files.
             * @example 1048576
             */
            size_bytes: number;
            /**
             * @description Points in the index.
             * @example 1204
             */
            chunk_count: number;
        };
        RepositoryStateListDto: {
            items: components["schemas"]["RepositoryStateDto"][];
            /**
             * @description How many match, on all pages.
             * @example 1
             */
            total: number;
            /** @description How many are in each state, under all filters except `state`. */
            counts: components["schemas"]["RepositoryStateCountsDto"];
            /**
             * @description No tick runs, because `scheduling_paused` is set.
             * @example false
             */
            is_scheduling_paused: boolean;
        };
        /** @enum {string} */
        RepositoryStateName: "failing" | "retrying" | "drifting" | "missing" | "incomplete" | "stale" | "waiting" | "running" | "queued" | "new" | "paused" | "synced";
        RerankingDto: {
            /**
             * @description `applied`: the reranker ordered the candidates; `failed`: hits have the order without it; `off`: none is configured, or it is not used for this query.
             * @example applied
             * @enum {string}
             */
            status: "applied" | "failed" | "off";
            /**
             * @description Hits that it ordered; the others follow them.
             * @example 32
             */
            candidates: number;
            /**
             * @description Why it failed.
             * @example reranker_unavailable
             */
            error_code: string | null;
            /**
             * @description The same in words, with the setting to change.
             * @example The reranker did not answer.
             */
            error: string | null;
        };
        RetiredDto: {
            /**
             * Format: uuid
             * @description Id of the generation.
             * @example 0b0f1c9e-5f0e-4a55-8f0e-3a2f6f1d7c11
             */
            id: string;
            /**
             * @description Its name in the vector store.
             * @example repotide--0b0f1c9e
             */
            physical_name: string;
            /**
             * @description The model and vector length of all its vectors.
             * @example text-embedding-3-small@1536
             */
            model_id: string;
            /**
             * @description Length of its vectors.
             * @example 1536
             */
            dimensions: number;
            /**
             * Format: date-time
             * @description When its build began.
             * @example 2026-11-20T09:00:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When searches last began to use it.
             * @example 2026-11-20T09:00:00.000Z
             */
            activated_at: string | null;
            /**
             * Format: date-time
             * @description When another generation replaced it.
             * @example 2026-11-20T09:00:00.000Z
             */
            retired_at: string;
            /**
             * Format: date-time
             * @description Until when it is kept for a roll-back.
             * @example 2026-11-20T09:00:00.000Z
             */
            drop_at: string;
        };
        /** @enum {string} */
        Role: "viewer" | "operator" | "admin";
        RoleReadinessDto: {
            /**
             * @description A role of this process.
             * @enum {string}
             */
            role: "api" | "scheduler" | "worker";
            /**
             * @description Whether the process can do its work. It continues by itself.
             * @enum {string}
             */
            status: "ready" | "paused";
            /**
             * @description The dependencies that it needs and that do not answer.
             * @example [
             *       "locks"
             *     ]
             */
            waits_for: string[];
        };
        RolledBackDto: {
            collection: components["schemas"]["CollectionDto"];
            /**
             * @description Repositories of which the index now in use holds another commit, or none. Their next syncs bring it up to date, if its model can be reached.
             * @example 0
             */
            repositories_behind: number;
        };
        RotateTokenDto: {
            /**
             * @description How long the former token is still accepted, unless it expires before.
             * @default 3600
             */
            overlap_seconds?: number;
            /**
             * Format: date-time
             * @description The new token is valid until then. Default: as long as the former one was given, at most `API_TOKEN_MAX_DAYS`.
             */
            expires_at?: string;
        };
        RuleWarningDto: {
            /**
             * @description Whether a whole rule file or some of its rules have no effect, or the path of a file is not its name in the tree.
             * @example rule_ignored
             * @enum {string}
             */
            code: "rule_file_ignored" | "rule_ignored" | "name_unclear";
            /**
             * @description The rule file, or the file with the unclear name.
             * @example docs/.repotideignore
             */
            path: string;
            /**
             * @description The first line that it is about; null: the whole file.
             * @example 17
             */
            line: number | null;
            /**
             * @description What was found.
             * @example this rule has no effect: it is longer than 2048 bytes
             */
            message: string;
        };
        RunDiscoveryDto: {
            /**
             * @description Only answer what a run would do, without doing it.
             * @default false
             */
            dry_run?: boolean;
            /**
             * @description Confirms that most of the known projects were removed. The grace still applies.
             * @default false
             */
            force?: boolean;
        };
        /** @enum {string} */
        RunHandler: "repository_sync" | "dry_run" | "verify" | "repair" | "purge";
        RunInProgressProblemDto: {
            /**
             * Format: uri
             * @description Kind of the problem; ends in `code`.
             * @example urn:repotide:problem:repository_not_found
             */
            type: string;
            /**
             * @description The meaning of the HTTP status.
             * @example Not Found
             */
            title: string;
            /**
             * @description The HTTP status.
             * @example 404
             */
            status: number;
            /**
             * @description What was found, what was expected and what to change.
             * @example There is no repository 0b0f1c9e-5f0e-4a55-8f0e-3a2f6f1d7c11.
             */
            detail: string;
            /**
             * @description Stable name for programs.
             * @example repository_not_found
             */
            code: string;
            /**
             * Format: uri-reference
             * @description Path of the request.
             * @example /api/v1/repositories/0b0f1c9e-5f0e-4a55-8f0e-3a2f6f1d7c11
             */
            instance: string;
            /**
             * @description Also in the `X-Request-Id` header and on the log lines of this request.
             * @example 5a1d3f0e-8a55-4a7a-9a53-0c8a6c2f6a31
             */
            request_id: string;
            /** @description Each refused field. */
            errors?: components["schemas"]["FieldErrorDto"][];
            /**
             * Format: uuid
             * @description The execution that holds the repository.
             * @example 0b0f1c9e-5f0e-4a55-8f0e-3a2f6f1d7c11
             */
            execution_id: string;
            /**
             * @description The pod that runs it; null while it is queued.
             * @example repotide-0
             */
            pod_name: string | null;
            /**
             * Format: date-time
             * @description When it started; null while it is queued.
             * @example 2026-11-20T09:00:00.000Z
             */
            started_at: string | null;
        };
        RunsByOutcomeDto: {
            /**
             * @description The index equals the branch.
             * @example 160
             */
            completed: number;
            /**
             * @description As completed, except for files that failed.
             * @example 3
             */
            partial: number;
            /**
             * @description Ended by an error.
             * @example 2
             */
            failed: number;
            /**
             * @description Stopped on request.
             * @example 0
             */
            cancelled: number;
            /**
             * @description Ticks that were found too late to run.
             * @example 0
             */
            missed: number;
            /**
             * @description Ticks passed over, for example because the repository was busy.
             * @example 2
             */
            skipped: number;
        };
        RunsByStatusDto: {
            /**
             * @description Waiting now.
             * @example 0
             */
            queued: number;
            /**
             * @description Running now.
             * @example 1
             */
            running: number;
            /**
             * @description The index equals the branch.
             * @example 160
             */
            completed: number;
            /**
             * @description As completed, except for files that failed.
             * @example 3
             */
            partial: number;
            /**
             * @description Ended by an error.
             * @example 2
             */
            failed: number;
            /**
             * @description Stopped on request.
             * @example 0
             */
            cancelled: number;
            /**
             * @description Ticks that were found too late to run.
             * @example 0
             */
            missed: number;
            /**
             * @description Ticks passed over, for example because the repository was busy.
             * @example 2
             */
            skipped: number;
        };
        ScheduleDto: {
            /**
             * Format: uuid
             * @description Id of the schedule.
             * @example 0b0f1c9e-5f0e-4a55-8f0e-3a2f6f1d7c11
             */
            id: string;
            /**
             * Format: uuid
             * @description The repository that it syncs.
             * @example 0b0f1c9e-5f0e-4a55-8f0e-3a2f6f1d7c11
             */
            repository_id: string;
            /**
             * @description Full path of its project.
             * @example group/project
             */
            project_path: string;
            /**
             * @description Its branch.
             * @example main
             */
            branch: string;
            /**
             * @description Minute, hour, day of month, month, day of week. `H` (also `H/15`, `H(0-29)`) is a number derived from the repository, so that schedules spread.
             * @example *\/15 * * * *
             */
            cron_expression: string;
            /**
             * @description IANA name of the time zone of the expression.
             * @example Europe/Berlin
             */
            timezone: string;
            /**
             * @description False while it is paused.
             * @example true
             */
            is_active: boolean;
            /**
             * @description A tick found later than this is recorded as missed.
             * @example 300
             */
            misfire_grace_seconds: number;
            /** @description After missed ticks: `latest` starts one run at once; `none` waits for the next tick. */
            catch_up: components["schemas"]["CatchUp"];
            /**
             * @description Estimated tokens that one run may embed; null: no limit.
             * @example 2000000
             */
            max_embedding_tokens_per_run: number | null;
            /**
             * @description Estimated tokens that all runs of the repository may embed in 24 hours; null: no limit.
             * @example 10000000
             */
            max_embedding_tokens_per_day: number | null;
            /**
             * @description A run stops cleanly after this time; 0 or null: never.
             * @example 900
             */
            time_budget_seconds: number | null;
            /**
             * Format: date-time
             * @description The next tick, as stored for all pods; null while paused.
             * @example 2026-11-20T09:00:00.000Z
             */
            next_run_at: string | null;
            /**
             * @description The next five ticks, soonest first; empty while paused.
             * @example [
             *       "2026-11-20T09:00:00.000Z",
             *       "2026-11-20T09:15:00.000Z"
             *     ]
             */
            next_ticks: string[];
            /**
             * Format: date-time
             * @description When a run of the schedule last completed.
             * @example 2026-11-20T09:00:00.000Z
             */
            last_sync_at: string | null;
            /**
             * @description Grows with every edit; the `ETag`.
             * @example 1
             */
            revision: number;
            /**
             * Format: date-time
             * @description When it was created.
             * @example 2026-11-20T09:00:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When the row last changed.
             * @example 2026-11-20T09:00:00.000Z
             */
            updated_at: string;
        };
        ScheduleListDto: {
            items: components["schemas"]["ScheduleDto"][];
            /**
             * @description How many match, on all pages.
             * @example 1
             */
            total: number;
        };
        SchedulePreviewDto: {
            /** @description The next five ticks, soonest first. */
            next_ticks: string[];
        };
        ScorePartsDto: {
            /**
             * @description By meaning: cosine similarity, -1 to 1; null: not found this way.
             * @example 0.62
             */
            dense: number | null;
            /**
             * @description By words; null: not found this way.
             * @example 7.4
             */
            lexical: number | null;
            /**
             * @description How well the names that the text defines fit the question; null: they were not compared, as for names.
             * @example 0.8
             */
            names: number | null;
            /**
             * @description By the reranker; null: it did not read this hit.
             * @example 0.91
             */
            reranker: number | null;
        };
        SearchGateDto: {
            /** @description The questions that both indexes answer. */
            questions: components["schemas"]["GateQuestionDto"][];
            /**
             * @description By how much nDCG@10 may fall.
             * @example 0
             */
            max_loss: number;
            /**
             * @description Who changed it last.
             * @example ci
             */
            updated_by: string | null;
            /**
             * Format: date-time
             * @description When it was changed last.
             * @example 2026-11-20T09:00:00.000Z
             */
            updated_at: string;
        };
        SearchHitDto: {
            /**
             * Format: uuid
             * @description The repository of the hit.
             * @example 0b0f1c9e-5f0e-4a55-8f0e-3a2f6f1d7c11
             */
            repository_id: string;
            /**
             * @description Full path of its project.
             * @example group/project
             */
            project_path: string;
            /**
             * @description Its branch.
             * @example main
             */
            branch: string;
            /**
             * @description The file.
             * @example src/lease.ts
             */
            path: string;
            /**
             * @description First line, from 1.
             * @example 10
             */
            start_line: number;
            /**
             * @description Last line.
             * @example 42
             */
            end_line: number;
            /**
             * @description Language of the file.
             * @example typescript
             */
            language: string | null;
            /**
             * @description The commit at which the text was read.
             * @example 8f2c1e0d9b7a6c5d4e3f2a1b0c9d8e7f6a5b4c3d
             */
            commit: string;
            /**
             * @description Of a hybrid search 0 to 1; of `dense` the cosine, -1 to 1; of `lexical` more than 0; of `exact` 1 where the match is a name that is defined there, 0.75 a whole name, 0.5 another text.
             * @example 0.62
             */
            score: number;
            /**
             * @description The text of the chunk.
             * @example export class Lease {
             */
            text: string;
            scores: components["schemas"]["ScorePartsDto"];
            /** @description What the file is for. */
            kind: components["schemas"]["ContentKind"];
            /**
             * @description Chunks of the file that this hit stands for: neighbours are one hit.
             * @example 1
             */
            chunks: number;
            snippet: components["schemas"]["SnippetDto"];
            /**
             * @description Of `exact`: where matches begin, the first 200.
             * @example null
             */
            matching_lines: number[] | null;
            /**
             * @description The lines of the snippet at that commit on the host; null where the form of its links is unknown.
             * @example https://gitlab.example.com/group/project/-/blob/8f2c1e0d/src/lease.ts#L12-18
             */
            web_url: string | null;
            freshness: components["schemas"]["FreshnessDto"];
        };
        SearchHitListDto: {
            items: components["schemas"]["SearchHitDto"][];
            /**
             * @description How many hits this answer has.
             * @example 1
             */
            total: number;
            /**
             * @description `cursor` of the next page; null: this is the last one.
             * @example WyJ4IiwwLjZd
             */
            next_cursor: string | null;
            /**
             * @description False: an exact search ended at a limit of time or size, and more may match. Narrow it by repository or folder.
             * @example true
             */
            is_complete: boolean;
            /** @description What the reranker did. */
            reranking: components["schemas"]["RerankingDto"];
            /** @description Counts over all pages: the best hundred chunks that match the filters; of `exact` up to a thousand. */
            facets: components["schemas"]["FacetsDto"];
        };
        SearchRequestDto: {
            /**
             * @description The question, in words or in code.
             * @example where is the lease renewed
             */
            query: string;
            /**
             * @description `hybrid`: names first, then words and meaning together; `lexical`: words alone; `dense`: meaning alone; `exact`: text that has the query literally, or matches it as a regular expression.
             * @default hybrid
             * @enum {string}
             */
            mode?: "hybrid" | "dense" | "lexical" | "exact";
            /**
             * @description Only with `exact`: the query is a regular expression of RE2, with `^` and `$` at each line.
             * @default false
             */
            regex?: boolean;
            /**
             * @description Only with `exact`: upper and lower case are the same.
             * @default false
             */
            ignore_case?: boolean;
            /** @description Search only these repositories; unknown ones find nothing. Default: all. */
            repository_ids?: string[];
            /**
             * @description Search only this folder and below, or this file.
             * @example src/app
             */
            path_prefix?: string;
            /**
             * @description Search only these repositories, by name: the full path of a project, `<path>@<branch>`, or an id.
             * @example [
             *       "group/project"
             *     ]
             */
            repositories?: string[];
            /**
             * @description Search only projects of this group and its subgroups.
             * @example group
             */
            group?: string;
            /**
             * @description Search only this branch of each project.
             * @example main
             */
            branch?: string;
            /**
             * @description Only paths that match, with the wildcards of file rules. Applies to the candidates.
             * @example src/**\/*.ts
             */
            path_glob?: string;
            /**
             * @description Search only this language, by any usual name: `py`, `.py`, `Python`.
             * @example typescript
             */
            language?: string;
            /**
             * @description Only these languages, by any usual name. More than one applies to the candidates.
             * @example [
             *       "py",
             *       "go"
             *     ]
             */
            languages?: string[];
            /**
             * @description Only files of this kind, as path and language show it. Applies to the candidates.
             * @example [
             *       "code"
             *     ]
             */
            kinds?: components["schemas"]["ContentKind"][];
            /**
             * Format: date-time
             * @description Only text that a run has read since then, which is when it changed. Applies to the candidates.
             */
            changed_since?: string;
            /**
             * @description Leave out hits with a lower score.
             * @example 0.2
             */
            min_score?: number;
            /** @description Whether the reranker orders the best hits, if one is configured. Default: questions of several words, unless the mode is `lexical`. */
            rerank?: boolean;
            /**
             * @description Also show identical text at the same path in another branch of the project. Default: only one of equal hits.
             * @default false
             */
            all_branches?: boolean;
            /**
             * @description How many hits to answer.
             * @default 10
             */
            limit?: number;
            /** @description `next_cursor` of an answer to the same query and filters: answers the hits after it. */
            cursor?: string;
        };
        SettingDto: {
            /**
             * @description Name of the setting.
             * @example scheduling_paused
             */
            name: string;
            /**
             * @description The value that all pods obey.
             * @example false
             */
            value: boolean | (number | null);
            /**
             * @description The value that they obey while nobody has set it.
             * @example false
             */
            default: boolean | (number | null);
            /**
             * @description Which values are valid.
             * @example true or false
             */
            type: string;
            /**
             * @description What it means.
             * @example While true no pod claims a tick.
             */
            description: string;
            /**
             * @description Name of the token that last changed it; null while nobody has.
             * @example ann
             */
            updated_by: string | null;
            /**
             * Format: date-time
             * @description When it was last changed.
             * @example 2026-11-20T09:00:00.000Z
             */
            updated_at: string | null;
            /**
             * @description How often it was changed.
             * @example 0
             */
            revision: number;
        };
        SettingListDto: {
            items: components["schemas"]["SettingDto"][];
            /**
             * @description How many match, on all pages.
             * @example 1
             */
            total: number;
        };
        SignInOptionsDto: {
            /**
             * @description Where people sign in; null: they cannot, and the dashboard needs an API token.
             * @example GitLab
             */
            provider: string | null;
        };
        SnippetDto: {
            /**
             * @description First line of the snippet, from 1.
             * @example 12
             */
            start_line: number;
            /**
             * @description Last line.
             * @example 18
             */
            end_line: number;
            /**
             * @description Its lines; each is cut after 400 characters.
             * @example renewLease() {
             */
            text: string;
            /** @description Terms of the query in the snippet. */
            highlights: components["schemas"]["HighlightDto"][];
        };
        SourceGroupDto: {
            /**
             * @description Its full path.
             * @example platform
             */
            group_path: string;
            /**
             * @description Projects in it and in its subgroups.
             * @example 12
             */
            project_count: number;
        };
        SourceProjectDto: {
            /**
             * @description Its numeric id.
             * @example 42
             */
            project_id: number;
            /**
             * @description Its full path.
             * @example platform/billing
             */
            project_path: string;
            /**
             * @description Its default branch; null: the token may not read the code.
             * @example main
             */
            default_branch: string | null;
            /**
             * @description A repository of it is registered, at any branch.
             * @example false
             */
            is_registered: boolean;
        };
        SourceProjectListDto: {
            items: components["schemas"]["SourceProjectDto"][];
            /**
             * @description How many projects match, on all pages.
             * @example 1
             */
            total: number;
            /** @description The first `limit` groups of all projects, by path. */
            groups: components["schemas"]["SourceGroupDto"][];
            /**
             * @description How many groups match.
             * @example 1
             */
            group_total: number;
        };
        /** @enum {string} */
        Stage: "initializing" | "downloading" | "annotating" | "extracting" | "chunking" | "embedding" | "storing" | "completed" | "error";
        StageCountDto: {
            /**
             * @description The stage.
             * @example embedding
             * @enum {string}
             */
            stage: "initializing" | "downloading" | "annotating" | "extracting" | "chunking" | "embedding" | "storing";
            /**
             * @description `waiting`: it has nothing to work on yet, or at the moment.
             * @example active
             * @enum {string}
             */
            state: "waiting" | "active" | "done";
            /**
             * @description What it has done, earlier attempts included.
             * @example 64
             */
            done: number;
            /**
             * @description Of how many; null: not known yet.
             * @example 128
             */
            total: number | null;
            /**
             * @description What it counts.
             * @example chunks
             * @enum {string}
             */
            unit: "steps" | "files" | "chunks";
        };
        SuggestedLeaseTtlDto: {
            /**
             * @description For `LEASE_TTL_SECONDS`.
             * @example 60
             */
            seconds: number;
            /**
             * @description How it was computed.
             * @example 95 % of 165 runs took at most 41.7 s: rounded up to 45 s, at least 45 s, three renewals, and at most 300 s.
             */
            explanation: string;
        };
        SyncRequestDto: {
            /**
             * @description Ignore the current index: fetch, chunk and store everything again.
             * @default false
             */
            full?: boolean;
            /**
             * @description Only plan: the execution ends with the plan in its `report`, and nothing is changed.
             * @default false
             */
            dry_run?: boolean;
            /**
             * @description Estimated tokens that this run may embed; it stops before it exceeds them, as partial with `budget_reached`. Absent: no limit.
             * @example 2000000
             */
            max_embedding_tokens?: number;
        };
        SyncStartedDto: {
            /**
             * Format: uuid
             * @description Id of the run in the progress endpoints; the same as `execution_id`.
             * @example 0b0f1c9e-5f0e-4a55-8f0e-3a2f6f1d7c11
             */
            task_id: string;
            /**
             * Format: uuid
             * @description Id of the run in the execution endpoints.
             * @example 0b0f1c9e-5f0e-4a55-8f0e-3a2f6f1d7c11
             */
            execution_id: string;
        };
        TimelineBucketDto: {
            /**
             * Format: date-time
             * @description Where it begins; the first with the range.
             * @example 2026-11-20T09:00:00.000Z
             */
            start: string;
            /**
             * Format: date-time
             * @description Where it ends; the last with the range.
             * @example 2026-11-20T09:00:00.000Z
             */
            end: string;
            /** @description Runs queued in it that have ended, by outcome. */
            runs: components["schemas"]["RunsByOutcomeDto"];
            /** @description What they did. */
            totals: components["schemas"]["WorkTotalsDto"];
        };
        /** @enum {string} */
        TimelineBucketSize: "hour" | "day" | "week";
        TimelineDto: {
            /**
             * Format: date-time
             * @description Runs queued from here on; the midnight (UTC) before `from` where rows were deleted.
             * @example 2026-11-20T09:00:00.000Z
             */
            from: string;
            /**
             * Format: date-time
             * @description Runs queued before this.
             * @example 2026-11-20T09:00:00.000Z
             */
            to: string;
            /**
             * Format: date-time
             * @description Executions queued before this were deleted by retention. Numbers over all repositories include them; those of one repository or schedule do not. Null when none was deleted yet.
             * @example 2026-11-20T09:00:00.000Z
             */
            rows_deleted_before: string | null;
            /** @description Length of a bucket. */
            bucket: components["schemas"]["TimelineBucketSize"];
            /**
             * @description The zone in which days and weeks begin at midnight.
             * @example Europe/Berlin
             */
            timezone: string;
            /** @description Oldest first, without gaps. */
            buckets: components["schemas"]["TimelineBucketDto"][];
        };
        TokenDto: {
            /**
             * Format: uuid
             * @description Id of the token.
             * @example 0b0f1c9e-5f0e-4a55-8f0e-3a2f6f1d7c11
             */
            id: string;
            /**
             * @description Its name.
             * @example ci
             */
            name: string;
            /** @description Its role. */
            role: components["schemas"]["Role"];
            /**
             * @description Patterns of the project paths that it may see and change, such as `platform`, which includes all below the group, or `web/*-service`. Null: everything.
             * @example [
             *       "platform"
             *     ]
             */
            scope: string[] | null;
            /**
             * @description Whether it is accepted now.
             * @example true
             */
            is_valid: boolean;
            /**
             * @description Name of the token that created it; null: it comes from the configuration.
             * @example platform-admin
             */
            created_by: string | null;
            /**
             * Format: date-time
             * @description When it was created.
             * @example 2026-11-20T09:00:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it expires; null: never.
             * @example 2026-11-20T09:00:00.000Z
             */
            expires_at: string | null;
            /**
             * Format: date-time
             * @description When it was last used, to the minute.
             * @example 2026-11-20T09:00:00.000Z
             */
            last_used_at: string | null;
            /**
             * Format: date-time
             * @description When it was revoked.
             * @example 2026-11-20T09:00:00.000Z
             */
            revoked_at: string | null;
        };
        TokenListDto: {
            items: components["schemas"]["TokenDto"][];
            /**
             * @description How many match, on all pages.
             * @example 1
             */
            total: number;
        };
        UpdateDiscoveryDto: {
            /**
             * @description Index only files that match one of these globs; empty: all.
             * @example [
             *       "src/**",
             *       "docs/**\/*.md"
             *     ]
             */
            include_globs?: string[];
            /**
             * @description Leave out files that match one of these globs.
             * @example [
             *       "**\/*.snap"
             *     ]
             */
            exclude_globs?: string[];
            /**
             * @description Larger files are not indexed. Default: `MAX_FILE_BYTES`.
             * @example 1048576
             */
            max_file_bytes?: number;
            /**
             * @description Characters of a chunk. Default: `CHUNK_SIZE`.
             * @example 7000
             */
            chunk_size?: number;
            /**
             * @description Characters that neighbouring chunks share. Default: `CHUNK_OVERLAP`.
             * @example 1500
             */
            chunk_overlap?: number;
            /**
             * Format: uuid
             * @description The stored credential to read it with; null: the token of the environment.
             */
            credential_id?: string | null;
            /**
             * @description With the projects of subgroups.
             * @default true
             */
            include_subgroups?: boolean;
            /**
             * @description For a whole host: only projects that the user of the token is a member of. False: every project that it can see.
             * @default true
             */
            members_only?: boolean;
            /**
             * @description Only projects whose full path matches one of these globs; empty: all.
             * @example [
             *       "team/services/**"
             *     ]
             */
            include_projects?: string[];
            /**
             * @description No projects whose full path matches one of these globs.
             * @example [
             *       "**\/*-archive"
             *     ]
             */
            exclude_projects?: string[];
            /**
             * @description Names or globs of branches; empty: the default branch of each project.
             * @example [
             *       "main",
             *       "release/*"
             *     ]
             */
            branches?: string[];
            /**
             * @description `exclude`: an archived project counts as removed.
             * @default exclude
             */
            archived_projects?: components["schemas"]["ArchivedPolicy"];
            /**
             * @description The collection of new repositories.
             * @default repotide
             */
            collection_name?: string;
            /** @description Schedule of each new repository; null: none. */
            schedule?: {
                /**
                 * @description Minute, hour, day of month, month, day of week. `H` is a number that each repository keeps: `H * * * *` is hourly at another minute for each repository, `H H(0-5) * * *` once a night, `H/15 * * * *` every quarter of an hour.
                 * @default H * * * *
                 */
                cron_expression?: string;
                /**
                 * @description IANA name of its time zone.
                 * @default UTC
                 */
                timezone?: string;
            } | null;
            /**
             * @description When it runs.
             * @default 0 * * * *
             */
            cron_expression?: string;
            /**
             * @description IANA name of the time zone of the expression.
             * @default UTC
             */
            timezone?: string;
            /**
             * @description False: it runs only on request.
             * @default true
             */
            is_active?: boolean;
            /**
             * @description A removed project is deleted and purged this long after a run first missed it.
             * @default 24
             */
            grace_hours?: number;
            /**
             * @description A name that distinguishes it from others.
             * @example platform
             */
            name?: string;
        };
        UpdateEventWebhookDto: {
            /**
             * @description A name that distinguishes it from others.
             * @example chat
             */
            name?: string;
            /**
             * Format: uri
             * @description Receives each event as a POST. Its host must be allowed by `OUTGOING_ALLOWED_HOSTS`.
             * @example https://hooks.example.com/repotide
             */
            url?: string;
            /**
             * @description What is sent.
             * @example [
             *       "run.finished"
             *     ]
             */
            events?: components["schemas"]["EventType"][];
            /**
             * @description Only events of projects that these patterns match, in the form of the scope of a token. Null: of all.
             * @example [
             *       "platform"
             *     ]
             */
            scope?: string[] | null;
            /** @description False: nothing is sent. True: it is sent again, also when Repotide disabled it. */
            is_enabled?: boolean;
        };
        UpdateScheduleDto: {
            /**
             * @description Estimated tokens that one run may embed: it stops before it exceeds them, as partial with `budget_reached`, and the next tick continues. Reused vectors cost nothing. Null: no limit.
             * @default null
             * @example 2000000
             */
            max_embedding_tokens_per_run?: number | null;
            /**
             * @description Estimated tokens that all runs of the repository may embed in 24 hours before a run of this schedule stops. Null: no limit.
             * @default null
             * @example 2000000
             */
            max_embedding_tokens_per_day?: number | null;
            /**
             * @description A run stops cleanly after this time, as partial with `time_budget_reached`, and the next tick continues. 0 or null: no limit.
             * @default null
             * @example 900
             */
            time_budget_seconds?: number | null;
            /**
             * @description IANA name of the time zone of the expression.
             * @default UTC
             * @example Europe/Berlin
             */
            timezone?: string;
            /**
             * @description False: the schedule does not run.
             * @default true
             */
            is_active?: boolean;
            /**
             * @description A tick found later than this is recorded as missed. Default: `MISFIRE_GRACE_SECONDS`.
             * @example 300
             */
            misfire_grace_seconds?: number;
            /**
             * @description After missed ticks: `latest` starts one run at once; `none` waits for the next tick.
             * @default latest
             */
            catch_up?: components["schemas"]["CatchUp"];
            /**
             * @description Minute, hour, day of month, month, day of week. `H` (also `H/15`, `H(0-29)`) is a number derived from the repository, so that schedules spread.
             * @example *\/15 * * * *
             */
            cron_expression?: string;
        };
        UpdateSettingsDto: {
            /**
             * @description True: no pod claims a tick until it is false again.
             * @example true
             */
            scheduling_paused?: boolean | null;
            /**
             * @description Time limit in seconds of runs that start from now on; null: `MAX_RUN_SECONDS`.
             * @example 3600
             */
            max_run_seconds?: number | null;
        };
        VerifyReportDto: {
            /** @description Files of the tree that are not in the manifest. */
            files_missing: components["schemas"]["PathSampleDto"];
            /** @description Files whose content or mode differs in the manifest. */
            files_stale: components["schemas"]["PathSampleDto"];
            /** @description Files of the manifest that are not in the tree. */
            files_extra: components["schemas"]["PathSampleDto"];
            /** @description Files that failed in the last sync. */
            files_failed: components["schemas"]["PathSampleDto"];
            /**
             * @description Points that the index lacks.
             * @example 0
             */
            points_missing: number;
            /**
             * @description Points of a path or version that is not in the manifest.
             * @example 0
             */
            points_stale: number;
            /**
             * @description Second points of a chunk.
             * @example 0
             */
            points_doubled: number;
            /**
             * @description Points whose text changed after it was stored.
             * @example 0
             */
            points_changed: number;
            /**
             * @description Points that a search by words does not find, because their terms were lost.
             * @example 0
             */
            points_without_terms: number;
            /** @description The files of these points, without those that only lack terms. */
            points_in: components["schemas"]["PathSampleDto"];
            /**
             * @description The commit compared with; null before the first completed sync.
             * @example 8f2c1e0d
             */
            commit: string | null;
            /**
             * @description The index is exactly the tree at that commit.
             * @example true
             */
            is_equal: boolean;
            /**
             * @description Rows of the manifest compared with the tree.
             * @example 12
             */
            files_checked: number;
            /**
             * @description Points compared with the manifest.
             * @example 57
             */
            points_checked: number;
            /**
             * @description Kind of the report.
             * @enum {string}
             */
            kind: "verify";
            /** @description What a second comparison found after the repair; null when nothing was repaired. */
            after_repair: components["schemas"]["IndexCheckDto"] | (never | null);
        };
        VerifyRequestDto: {
            /**
             * @description Make the index equal the branch's head where it differs.
             * @default false
             */
            repair?: boolean;
        };
        WantedRepositoryDto: {
            /**
             * @description The numeric id of the project.
             * @example 42
             */
            project_id: number;
            /**
             * @description Full path of the project.
             * @example team/platform/api
             */
            project_path: string;
            /**
             * @description The branch.
             * @example main
             */
            branch: string;
        };
        WebhookReceiptDto: {
            /** @description `accepted`: a run follows. `ignored`: there is nothing to do. `repeated`: the delivery was received before. */
            status: components["schemas"]["WebhookStatus"];
            /**
             * @description Why it is ignored: not_a_push, push_not_understood, not_a_branch, branch_deleted, not_registered.
             * @example branch_deleted
             */
            reason: string | null;
            /** @description Runs that were queued for it. Empty when a run that is already queued, or that follows the current one, covers it. */
            execution_ids: string[];
        };
        /** @enum {string} */
        WebhookStatus: "accepted" | "ignored" | "repeated";
        WorkTotalsDto: {
            /**
             * @description Changed files that runs looked at.
             * @example 12
             */
            files_processed: number;
            /**
             * @description Files that failed.
             * @example 0
             */
            files_failed: number;
            /**
             * @description Points stored.
             * @example 12
             */
            chunks_upserted: number;
            /**
             * @description Points removed.
             * @example 12
             */
            chunks_deleted: number;
            /**
             * @description Texts sent to the embedder.
             * @example 12
             */
            embeddings_requested: number;
            /**
             * @description Vectors from the cache or from points with the same content.
             * @example 12
             */
            embeddings_reused: number;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    exportExecutions: {
        parameters: {
            query?: {
                /** @description Only these statuses; repeat it or separate them by commas. */
                status?: components["schemas"]["ExecutionStatus"][];
                /** @description Only runs that were started by this. */
                trigger?: components["schemas"]["ExecutionTrigger"];
                /** @description Only runs of this pod. */
                pod_name?: string;
                /** @description Only runs queued at this instant or later. */
                from?: string;
                /** @description Only runs queued before this instant. */
                to?: string;
                /** @description Only runs of this repository. */
                repository_id?: string;
                /** @description Only runs of this schedule. */
                schedule_id?: string;
                /** @description Format of the document. */
                format?: components["schemas"]["ExportFormat"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The document. When the connection breaks before its end, it is not complete. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": string;
                    "application/json": components["schemas"]["ExecutionDto"][];
                };
            };
            /** @description The form of the request is wrong; `errors` names each field. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token's role is less than viewer. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `rate_limit_exceeded`, `too_many_failures`: `Retry-After` says when to try again. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `internal_error`: the log holds the cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The database does not answer now. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
        };
    };
    listExecutionFiles: {
        parameters: {
            query?: {
                /** @description How many items to answer. */
                limit?: number;
                /** @description How many items to skip. */
                offset?: number;
                /** @description Only files that failed, or only those that a rule left out. */
                status?: components["schemas"]["ExecutionFileStatus"];
            };
            header?: never;
            path: {
                /** @description Id of the execution. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExecutionFileListDto"];
                };
            };
            /** @description The form of the request is wrong; `errors` names each field. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token's role is less than viewer. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description There is no such execution, or it was deleted. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `rate_limit_exceeded`, `too_many_failures`: `Retry-After` says when to try again. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `internal_error`: the log holds the cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The database does not answer now. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
        };
    };
    listRepositories: {
        parameters: {
            query?: {
                /** @description How many items to answer. */
                limit?: number;
                /** @description How many items to skip. */
                offset?: number;
                /** @description What to order by; a minus before it reverses the order. Rows without a value sort lowest, equal rows by id. */
                sort?: "created_at" | "-created_at" | "updated_at" | "-updated_at" | "project_path" | "-project_path" | "last_sync_at" | "-last_sync_at" | "last_verified_at" | "-last_verified_at";
                /** @description Only these repositories; repeat it or separate them by commas. */
                id?: string[];
                /** @description Only projects whose path contains this, in upper or lower case. */
                search?: string;
                /** @description Also deleted repositories, to which executions may still belong; their `deleted_at` is set. */
                include_deleted?: boolean;
                /** @description Only this project. */
                project_path?: string;
                /** @description Only this branch. */
                branch?: string;
                /** @description Only this collection. */
                collection_name?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RepositoryListDto"];
                };
            };
            /** @description The form of the request is wrong; `errors` names each field. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token's role is less than viewer. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `rate_limit_exceeded`, `too_many_failures`: `Retry-After` says when to try again. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `internal_error`: the log holds the cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The database does not answer now. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
        };
    };
    createRepository: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateRepositoryDto"];
            };
        };
        responses: {
            /** @description Done. */
            201: {
                headers: {
                    /** @description The revision, for `If-Match`. */
                    ETag?: string;
                    /** @description Address of the new row. */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RepositoryDto"];
                };
            };
            /** @description The form of the request is wrong; `errors` names each field. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token's role is less than admin. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `repository_exists`: this project and branch is registered; `repository_id` names the repository. `collection_mismatch`: Qdrant has a collection with the name `collection_name` that does not fit: other vectors, points, or the index of another database. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `project_not_found`, `branch_not_found`, `branch_required`, `source_url_invalid`, `url_not_allowed`, `collection_name_invalid`, `chunk_overlap_invalid`. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /**
             * @description GitLab limits the rate; `Retry-After` says when to try again.
             *
             *     `rate_limit_exceeded`, `too_many_failures`: `Retry-After` says when to try again.
             */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `internal_error`: the log holds the cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description GitLab refused the credential: `source_token_rejected`, `source_token_scope`. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description GitLab or the database does not answer now. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
        };
    };
    getRepository: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the repository. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    /** @description The revision, for `If-Match`. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RepositoryDto"];
                };
            };
            /** @description The form of the request is wrong; `errors` names each field. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token's role is less than viewer. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description There is no such repository, or it was deleted. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `rate_limit_exceeded`, `too_many_failures`: `Retry-After` says when to try again. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `internal_error`: the log holds the cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The database does not answer now. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
        };
    };
    deleteRepository: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the repository. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; there is no body. */
            204: {
                headers: {
                    /** @description Address of the purge. */
                    Location?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The form of the request is wrong; `errors` names each field. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token's role is less than admin. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description There is no such repository, or it was deleted. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `rate_limit_exceeded`, `too_many_failures`: `Retry-After` says when to try again. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `internal_error`: the log holds the cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The database does not answer now. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
        };
    };
    updateRepository: {
        parameters: {
            query?: never;
            header?: {
                /** @description Change it only if it still has this `ETag`. */
                "If-Match"?: string;
            };
            path: {
                /** @description Id of the repository. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RepositorySettingsDto"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    /** @description The revision, for `If-Match`. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RepositoryDto"];
                };
            };
            /** @description The form of the request is wrong; `errors` names each field. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token's role is less than admin. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description There is no such repository, or it was deleted. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `repository_exists`: the other branch is registered too; `repository_id` names the repository. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `revision_mismatch`: it was changed since. */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `chunk_overlap_invalid`, `project_not_found`, `branch_not_found`, `credential_unavailable`. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /**
             * @description GitLab limits the rate; `Retry-After` says when to try again.
             *
             *     `rate_limit_exceeded`, `too_many_failures`: `Retry-After` says when to try again.
             */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `internal_error`: the log holds the cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description GitLab refused the credential: `source_token_rejected`, `source_token_scope`. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description GitLab or the database does not answer now. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
        };
    };
    listFiles: {
        parameters: {
            query?: {
                /** @description How many items to answer. */
                limit?: number;
                /** @description How many items to skip. */
                offset?: number;
                /** @description What to order by; a minus before it reverses the order. Rows without a value sort lowest, equal rows by id. */
                sort?: "path" | "-path" | "size_bytes" | "-size_bytes" | "chunk_count" | "-chunk_count" | "indexed_at" | "-indexed_at";
                /** @description Only files of this status; `skipped` shows why a file is not indexed. */
                status?: components["schemas"]["FileStatus"];
                /** @description Only paths that begin with this. */
                path_prefix?: string;
                /** @description Only paths that contain this, in upper or lower case. */
                search?: string;
                /** @description True: only files in which secrets were found; false: only the others. */
                has_secrets?: boolean;
            };
            header?: never;
            path: {
                /** @description Id of the repository. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FileListDto"];
                };
            };
            /** @description The form of the request is wrong; `errors` names each field. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token's role is less than viewer. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description There is no such repository, or it was deleted. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `rate_limit_exceeded`, `too_many_failures`: `Retry-After` says when to try again. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `internal_error`: the log holds the cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The database does not answer now. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
        };
    };
    listFolders: {
        parameters: {
            query?: {
                /** @description How many items to answer. */
                limit?: number;
                /** @description How many items to skip. */
                offset?: number;
                /** @description The folder to list. Default: the root. */
                path?: string;
            };
            header?: never;
            path: {
                /** @description Id of the repository. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FolderListDto"];
                };
            };
            /** @description The form of the request is wrong; `errors` names each field. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token's role is less than viewer. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description There is no such repository, or it was deleted. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `rate_limit_exceeded`, `too_many_failures`: `Retry-After` says when to try again. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `internal_error`: the log holds the cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The database does not answer now. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
        };
    };
    getPurge: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the repository. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PurgeDto"];
                };
            };
            /** @description The form of the request is wrong; `errors` names each field. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token's role is less than viewer. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description There is no such repository, or it was deleted. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `rate_limit_exceeded`, `too_many_failures`: `Retry-After` says when to try again. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `internal_error`: the log holds the cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The database does not answer now. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
        };
    };
    listRepositoryStates: {
        parameters: {
            query?: {
                /** @description How many items to answer. */
                limit?: number;
                /** @description How many items to skip. */
                offset?: number;
                /** @description What to order by; a minus before it reverses the order. Rows without a value sort lowest, equal rows by id. */
                sort?: "state" | "-state" | "project_path" | "-project_path" | "last_sync_at" | "-last_sync_at" | "next_run_at" | "-next_run_at" | "last_ended_at" | "-last_ended_at" | "chunk_count" | "-chunk_count";
                /** @description Only these states; repeat it or separate them by commas. */
                state?: components["schemas"]["RepositoryStateName"][];
                /** @description Only these repositories; repeat it or separate them by commas. */
                id?: string[];
                /** @description Only projects whose path contains this, in upper or lower case. */
                search?: string;
                /** @description Only projects of this group and its subgroups. */
                group?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RepositoryStateListDto"];
                };
            };
            /** @description The form of the request is wrong; `errors` names each field. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token's role is less than viewer. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `rate_limit_exceeded`, `too_many_failures`: `Retry-After` says when to try again. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `internal_error`: the log holds the cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The database does not answer now. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
        };
    };
    listDiscoveries: {
        parameters: {
            query?: {
                /** @description How many items to answer. */
                limit?: number;
                /** @description How many items to skip. */
                offset?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DiscoveryListDto"];
                };
            };
            /** @description The form of the request is wrong; `errors` names each field. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token's role is less than viewer. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `rate_limit_exceeded`, `too_many_failures`: `Retry-After` says when to try again. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `internal_error`: the log holds the cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The database does not answer now. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
        };
    };
    createDiscovery: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateDiscoveryDto"];
            };
        };
        responses: {
            /** @description Done. */
            201: {
                headers: {
                    /** @description The revision, for `If-Match`. */
                    ETag?: string;
                    /** @description Address of the new row. */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DiscoveryDto"];
                };
            };
            /** @description The form of the request is wrong; `errors` names each field. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token's role is less than admin. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `discovery_exists`: the name is taken. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `group_not_found`, `glob_invalid`, `cron_invalid`, `timezone_invalid`, `collection_name_invalid`, `chunk_overlap_invalid`, `source_url_invalid`, `url_not_allowed`, `credential_unavailable`. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /**
             * @description GitLab limits the rate; `Retry-After` says when to try again.
             *
             *     `rate_limit_exceeded`, `too_many_failures`: `Retry-After` says when to try again.
             */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `internal_error`: the log holds the cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description GitLab refused the credential: `source_token_rejected`, `source_token_scope`. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description GitLab or the database does not answer now. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
        };
    };
    getDiscovery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the discovery. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    /** @description The revision, for `If-Match`. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DiscoveryDto"];
                };
            };
            /** @description The form of the request is wrong; `errors` names each field. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token's role is less than viewer. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description There is no such discovery, or it was deleted. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `rate_limit_exceeded`, `too_many_failures`: `Retry-After` says when to try again. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `internal_error`: the log holds the cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The database does not answer now. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
        };
    };
    deleteDiscovery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the discovery. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; there is no body. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The form of the request is wrong; `errors` names each field. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token's role is less than admin. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description There is no such discovery, or it was deleted. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `rate_limit_exceeded`, `too_many_failures`: `Retry-After` says when to try again. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `internal_error`: the log holds the cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The database does not answer now. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
        };
    };
    updateDiscovery: {
        parameters: {
            query?: never;
            header?: {
                /** @description Change it only if it still has this `ETag`. */
                "If-Match"?: string;
            };
            path: {
                /** @description Id of the discovery. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateDiscoveryDto"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    /** @description The revision, for `If-Match`. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DiscoveryDto"];
                };
            };
            /** @description The form of the request is wrong; `errors` names each field. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token's role is less than admin. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description There is no such discovery, or it was deleted. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `discovery_exists`: the name is taken. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `revision_mismatch`: it was changed since. */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `group_not_found`, `glob_invalid`, `cron_invalid`, `timezone_invalid`, `collection_name_invalid`, `chunk_overlap_invalid`, `source_url_invalid`, `url_not_allowed`, `credential_unavailable`. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /**
             * @description GitLab limits the rate; `Retry-After` says when to try again.
             *
             *     `rate_limit_exceeded`, `too_many_failures`: `Retry-After` says when to try again.
             */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `internal_error`: the log holds the cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description GitLab refused the credential: `source_token_rejected`, `source_token_scope`. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description GitLab or the database does not answer now. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
        };
    };
    runDiscovery: {
        parameters: {
            query?: never;
            header?: {
                /** @description Any text of your own, new for each request: repeated within 24 hours, it gets the same answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Id of the discovery. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["RunDiscoveryDto"];
            };
        };
        responses: {
            /** @description Dry run: what a run would do. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DiscoveryPreviewDto"];
                };
            };
            /** @description Queued. */
            202: {
                headers: {
                    /** @description Address of the run. */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DiscoveryRunDto"];
                };
            };
            /** @description The form of the request is wrong; `errors` names each field. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token's role is less than operator. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description There is no such discovery, or it was deleted. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `discovery_running`; of a dry run `discovery_loss_refused`. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `idempotency_key_reused`: the key came with another request. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /**
             * @description GitLab limits the rate; `Retry-After` says when to try again.
             *
             *     `rate_limit_exceeded`, `too_many_failures`: `Retry-After` says when to try again.
             */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `internal_error`: the log holds the cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description GitLab refused the credential: `source_token_rejected`, `source_token_scope`. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description GitLab or the database does not answer now. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
        };
    };
    listDiscoveryRuns: {
        parameters: {
            query?: {
                /** @description How many items to answer. */
                limit?: number;
                /** @description How many items to skip. */
                offset?: number;
            };
            header?: never;
            path: {
                /** @description Id of the discovery. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DiscoveryRunListDto"];
                };
            };
            /** @description The form of the request is wrong; `errors` names each field. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token's role is less than viewer. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description There is no such discovery, or it was deleted. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `rate_limit_exceeded`, `too_many_failures`: `Retry-After` says when to try again. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `internal_error`: the log holds the cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The database does not answer now. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
        };
    };
    getDiscoveryRun: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the discovery. */
                id: string;
                /** @description Id of the run. */
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DiscoveryRunDto"];
                };
            };
            /** @description The form of the request is wrong; `errors` names each field. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token's role is less than viewer. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /**
             * @description There is no such run, or it was deleted.
             *
             *     There is no such discovery, or it was deleted.
             */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `rate_limit_exceeded`, `too_many_failures`: `Retry-After` says when to try again. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `internal_error`: the log holds the cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The database does not answer now. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
        };
    };
    listSourceProjects: {
        parameters: {
            query?: {
                /** @description How many items to answer. */
                limit?: number;
                /** @description How many items to skip. */
                offset?: number;
                /** @description Address of the GitLab host, with its path prefix if it has one. Default: `GITLAB_URL`. */
                base_url?: string;
                /** @description The stored credential to ask with. Default: the token of the environment. */
                credential_id?: string;
                /** @description Only projects of this group and its subgroups. Default: projects that the token is a member of. */
                group?: string;
                /** @description Only projects and groups whose path contains this, in upper or lower case. */
                search?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SourceProjectListDto"];
                };
            };
            /** @description The form of the request is wrong; `errors` names each field. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token's role is less than admin. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `group_not_found`, `source_url_invalid`, `url_not_allowed`, `credential_unavailable`, `credential_foreign_host`. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /**
             * @description GitLab limits the rate; `Retry-After` says when to try again.
             *
             *     `rate_limit_exceeded`, `too_many_failures`: `Retry-After` says when to try again.
             */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `internal_error`: the log holds the cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description GitLab refused the credential: `source_token_rejected`, `source_token_scope`. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description GitLab or the database does not answer now. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
        };
    };
    listCollections: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CollectionListDto"];
                };
            };
            /** @description The token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token's role is less than viewer. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `rate_limit_exceeded`, `too_many_failures`: `Retry-After` says when to try again. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `internal_error`: the log holds the cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The database does not answer now. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
        };
    };
    getCollection: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the collection. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CollectionDto"];
                };
            };
            /** @description The form of the request is wrong; `errors` names each field. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token's role is less than viewer. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `collection_not_found`: no such collection, or nothing of it was synced yet. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `rate_limit_exceeded`, `too_many_failures`: `Retry-After` says when to try again. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `internal_error`: the log holds the cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The database does not answer now. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
        };
    };
    reindexCollection: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the collection. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReindexStartedDto"];
                };
            };
            /** @description The form of the request is wrong; `errors` names each field. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token's role is less than admin. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `collection_not_found`: no such collection, or nothing of it was synced yet. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `rate_limit_exceeded`, `too_many_failures`: `Retry-After` says when to try again. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `internal_error`: the log holds the cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The database does not answer now. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
        };
    };
    rollbackCollection: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the collection. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RolledBackDto"];
                };
            };
            /** @description The form of the request is wrong; `errors` names each field. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token's role is less than admin. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `collection_not_found`: no such collection, or nothing of it was synced yet. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `nothing_to_roll_back_to`: no former index is kept. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `rate_limit_exceeded`, `too_many_failures`: `Retry-After` says when to try again. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `internal_error`: the log holds the cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The database does not answer now. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
        };
    };
    activateCollection: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the collection. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ActivateDto"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CollectionDto"];
                };
            };
            /** @description The form of the request is wrong; `errors` names each field. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token's role is less than admin. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `collection_not_found`: no such collection, or nothing of it was synced yet. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `nothing_to_activate`; not without `force`: `rebuild_incomplete`, `search_quality_lower` (the questions of the gate are answered worse). */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `rate_limit_exceeded`, `too_many_failures`: `Retry-After` says when to try again. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `internal_error`: the log holds the cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `embedding_model_unavailable`: this pod cannot reach the model of an index, so that the gate cannot compare them. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
        };
    };
    getGate: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the collection. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SearchGateDto"];
                };
            };
            /** @description The form of the request is wrong; `errors` names each field. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token's role is less than admin. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /**
             * @description `collection_not_found`: no such collection, or nothing of it was synced yet.
             *
             *     `gate_not_found`: it has no gate.
             */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `rate_limit_exceeded`, `too_many_failures`: `Retry-After` says when to try again. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `internal_error`: the log holds the cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The database does not answer now. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
        };
    };
    putGate: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the collection. */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PutSearchGateDto"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SearchGateDto"];
                };
            };
            /** @description The form of the request is wrong; `errors` names each field. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token's role is less than admin. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `collection_not_found`: no such collection, or nothing of it was synced yet. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `rate_limit_exceeded`, `too_many_failures`: `Retry-After` says when to try again. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `internal_error`: the log holds the cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The database does not answer now. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
        };
    };
    removeGate: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the collection. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; there is no body. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The form of the request is wrong; `errors` names each field. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token's role is less than admin. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `collection_not_found`: no such collection, or nothing of it was synced yet. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `rate_limit_exceeded`, `too_many_failures`: `Retry-After` says when to try again. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `internal_error`: the log holds the cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The database does not answer now. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
        };
    };
    listSchedules: {
        parameters: {
            query?: {
                /** @description How many items to answer. */
                limit?: number;
                /** @description How many items to skip. */
                offset?: number;
                /** @description What to order by; a minus before it reverses the order. Rows without a value sort lowest, equal rows by id. */
                sort?: "created_at" | "-created_at" | "updated_at" | "-updated_at" | "next_run_at" | "-next_run_at" | "last_sync_at" | "-last_sync_at";
                /** @description Only schedules of this repository. */
                repository_id?: string;
                /** @description True: only active schedules; false: only paused ones. */
                is_active?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ScheduleListDto"];
                };
            };
            /** @description The form of the request is wrong; `errors` names each field. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token's role is less than viewer. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `rate_limit_exceeded`, `too_many_failures`: `Retry-After` says when to try again. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `internal_error`: the log holds the cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The database does not answer now. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
        };
    };
    createSchedule: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateScheduleDto"];
            };
        };
        responses: {
            /** @description Done. */
            201: {
                headers: {
                    /** @description The revision, for `If-Match`. */
                    ETag?: string;
                    /** @description Address of the new row. */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ScheduleDto"];
                };
            };
            /** @description The form of the request is wrong; `errors` names each field. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token's role is less than admin. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `cron_invalid`, `timezone_invalid`, `repository_not_found`. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `rate_limit_exceeded`, `too_many_failures`: `Retry-After` says when to try again. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `internal_error`: the log holds the cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The database does not answer now. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
        };
    };
    getSchedule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the schedule. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    /** @description The revision, for `If-Match`. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ScheduleDto"];
                };
            };
            /** @description The form of the request is wrong; `errors` names each field. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token's role is less than viewer. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description There is no such schedule, or it was deleted. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `rate_limit_exceeded`, `too_many_failures`: `Retry-After` says when to try again. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `internal_error`: the log holds the cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The database does not answer now. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
        };
    };
    deleteSchedule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the schedule. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; there is no body. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The form of the request is wrong; `errors` names each field. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token's role is less than admin. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description There is no such schedule, or it was deleted. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `rate_limit_exceeded`, `too_many_failures`: `Retry-After` says when to try again. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `internal_error`: the log holds the cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The database does not answer now. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
        };
    };
    updateSchedule: {
        parameters: {
            query?: never;
            header?: {
                /** @description Change it only if it still has this `ETag`. */
                "If-Match"?: string;
            };
            path: {
                /** @description Id of the schedule. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateScheduleDto"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    /** @description The revision, for `If-Match`. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ScheduleDto"];
                };
            };
            /** @description The form of the request is wrong; `errors` names each field. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token's role is less than admin. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description There is no such schedule, or it was deleted. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `revision_mismatch`: it was changed since. */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `cron_invalid`, `timezone_invalid`. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `rate_limit_exceeded`, `too_many_failures`: `Retry-After` says when to try again. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `internal_error`: the log holds the cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The database does not answer now. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
        };
    };
    pauseSchedule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the schedule. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    /** @description The revision, for `If-Match`. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ScheduleDto"];
                };
            };
            /** @description The form of the request is wrong; `errors` names each field. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token's role is less than operator. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description There is no such schedule, or it was deleted. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `rate_limit_exceeded`, `too_many_failures`: `Retry-After` says when to try again. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `internal_error`: the log holds the cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The database does not answer now. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
        };
    };
    resumeSchedule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the schedule. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    /** @description The revision, for `If-Match`. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ScheduleDto"];
                };
            };
            /** @description The form of the request is wrong; `errors` names each field. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token's role is less than operator. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description There is no such schedule, or it was deleted. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `rate_limit_exceeded`, `too_many_failures`: `Retry-After` says when to try again. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `internal_error`: the log holds the cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The database does not answer now. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
        };
    };
    listScheduleExecutions: {
        parameters: {
            query?: {
                /** @description How many items to answer. */
                limit?: number;
                /** @description How many items to skip. */
                offset?: number;
                /** @description What to order by; a minus before it reverses the order. Rows without a value sort lowest, equal rows by id. */
                sort?: "queued_at" | "-queued_at" | "started_at" | "-started_at";
                /** @description Only these statuses; repeat it or separate them by commas. */
                status?: components["schemas"]["ExecutionStatus"][];
                /** @description Only runs that were started by this. */
                trigger?: components["schemas"]["ExecutionTrigger"];
                /** @description Only runs of this pod. */
                pod_name?: string;
                /** @description Only runs queued at this instant or later. */
                from?: string;
                /** @description Only runs queued before this instant. */
                to?: string;
            };
            header?: never;
            path: {
                /** @description Id of the schedule. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExecutionListDto"];
                };
            };
            /** @description The form of the request is wrong; `errors` names each field. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token's role is less than viewer. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description There is no such schedule, or it was deleted. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `rate_limit_exceeded`, `too_many_failures`: `Retry-After` says when to try again. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `internal_error`: the log holds the cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The database does not answer now. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
        };
    };
    previewSchedule: {
        parameters: {
            query: {
                /** @description Minute, hour, day of month, month, day of week. `H` (also `H/15`, `H(0-29)`) is a number derived from the repository, so that schedules spread. */
                cron_expression: string;
                /** @description IANA name of the time zone of the expression. Default: UTC. */
                timezone?: string;
                /** @description The repository that `H` is derived from. */
                repository_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SchedulePreviewDto"];
                };
            };
            /** @description The form of the request is wrong; `errors` names each field. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token's role is less than viewer. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `cron_invalid`: `cron_field` names the part at fault; `timezone_invalid`. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `rate_limit_exceeded`, `too_many_failures`: `Retry-After` says when to try again. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `internal_error`: the log holds the cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The database does not answer now. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
        };
    };
    listExecutions: {
        parameters: {
            query?: {
                /** @description How many items to answer. */
                limit?: number;
                /** @description How many items to skip. */
                offset?: number;
                /** @description What to order by; a minus before it reverses the order. Rows without a value sort lowest, equal rows by id. */
                sort?: "queued_at" | "-queued_at" | "started_at" | "-started_at";
                /** @description Only these statuses; repeat it or separate them by commas. */
                status?: components["schemas"]["ExecutionStatus"][];
                /** @description Only runs that were started by this. */
                trigger?: components["schemas"]["ExecutionTrigger"];
                /** @description Only runs of this pod. */
                pod_name?: string;
                /** @description Only runs queued at this instant or later. */
                from?: string;
                /** @description Only runs queued before this instant. */
                to?: string;
                /** @description Only runs of this repository. */
                repository_id?: string;
                /** @description Only runs of this schedule. */
                schedule_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExecutionListDto"];
                };
            };
            /** @description The form of the request is wrong; `errors` names each field. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token's role is less than viewer. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `rate_limit_exceeded`, `too_many_failures`: `Retry-After` says when to try again. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `internal_error`: the log holds the cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The database does not answer now. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
        };
    };
    getExecution: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the execution. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExecutionDto"];
                };
            };
            /** @description The form of the request is wrong; `errors` names each field. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token's role is less than viewer. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description There is no such execution, or it was deleted. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `rate_limit_exceeded`, `too_many_failures`: `Retry-After` says when to try again. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `internal_error`: the log holds the cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The database does not answer now. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
        };
    };
    cancelExecution: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the execution. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Cancelled, or its cancellation is requested. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExecutionDto"];
                };
            };
            /** @description The form of the request is wrong; `errors` names each field. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token's role is less than operator. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description There is no such execution, or it was deleted. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `execution_finished`: it has ended with another status. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `rate_limit_exceeded`, `too_many_failures`: `Retry-After` says when to try again. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `internal_error`: the log holds the cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The database does not answer now. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
        };
    };
    retryExecution: {
        parameters: {
            query?: never;
            header?: {
                /** @description Any text of your own, new for each request: repeated within 24 hours, it gets the same answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Id of the execution. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The new execution, queued. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExecutionDto"];
                };
            };
            /** @description The form of the request is wrong; `errors` names each field. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token's role is less than operator. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description There is no such execution, or it was deleted. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `run_in_progress`: names the holder. `execution_not_retryable`: it has not ended, completed, or never ran. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `idempotency_key_reused`: the key came with another request. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `rate_limit_exceeded`, `too_many_failures`: `Retry-After` says when to try again. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `internal_error`: the log holds the cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The database does not answer now. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
        };
    };
    syncRepository: {
        parameters: {
            query?: never;
            header?: {
                /** @description Any text of your own, new for each request: repeated within 24 hours, it gets the same answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Id of the repository. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["SyncRequestDto"];
            };
        };
        responses: {
            /** @description Queued. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SyncStartedDto"];
                };
            };
            /** @description The form of the request is wrong; `errors` names each field. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token's role is less than operator. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description There is no such repository, or it was deleted. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `run_in_progress`: names the holder. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["RunInProgressProblemDto"];
                };
            };
            /** @description `idempotency_key_reused`: the key came with another request. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `rate_limit_exceeded`, `too_many_failures`: `Retry-After` says when to try again. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `internal_error`: the log holds the cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The database does not answer now. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
        };
    };
    verifyRepository: {
        parameters: {
            query?: never;
            header?: {
                /** @description Any text of your own, new for each request: repeated within 24 hours, it gets the same answer. */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description Id of the repository. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["VerifyRequestDto"];
            };
        };
        responses: {
            /** @description Queued. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SyncStartedDto"];
                };
            };
            /** @description The form of the request is wrong; `errors` names each field. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token's role is less than operator. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description There is no such repository, or it was deleted. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `run_in_progress`: names the holder. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["RunInProgressProblemDto"];
                };
            };
            /** @description `idempotency_key_reused`: the key came with another request. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `rate_limit_exceeded`, `too_many_failures`: `Retry-After` says when to try again. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `internal_error`: the log holds the cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The database does not answer now. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
        };
    };
    listProgress: {
        parameters: {
            query?: {
                /** @description Name of a token; default: the calling token. */
                user_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProgressListDto"];
                };
            };
            /** @description The form of the request is wrong; `errors` names each field. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token's role is less than viewer. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `rate_limit_exceeded`, `too_many_failures`: `Retry-After` says when to try again. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `internal_error`: the log holds the cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The database does not answer now. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
        };
    };
    getProgressStats: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProgressStatsDto"];
                };
            };
            /** @description The token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token's role is less than viewer. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `rate_limit_exceeded`, `too_many_failures`: `Retry-After` says when to try again. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `internal_error`: the log holds the cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The database does not answer now. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
        };
    };
    getProgress: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the execution. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProgressDto"];
                };
            };
            /** @description The form of the request is wrong; `errors` names each field. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token's role is less than viewer. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description There is no such execution, or it was deleted. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `rate_limit_exceeded`, `too_many_failures`: `Retry-After` says when to try again. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `internal_error`: the log holds the cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The database does not answer now. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
        };
    };
    followExecution: {
        parameters: {
            query?: never;
            header?: {
                /** @description Continue after this event, on any pod. */
                "Last-Event-ID"?: string;
            };
            path: {
                /** @description Id of the execution. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The events, until the run has ended. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": components["schemas"]["ProgressDto"];
                };
            };
            /** @description `Last-Event-ID` names the last event of a run that has ended. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The form of the request is wrong; `errors` names each field. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token's role is less than viewer. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description There is no such execution, or it was deleted. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /**
             * @description `rate_limit_exceeded`, `too_many_failures`, `too_many_streams`: `Retry-After` says when to try again.
             *
             *     `rate_limit_exceeded`, `too_many_failures`: `Retry-After` says when to try again.
             */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `internal_error`: the log holds the cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The database does not answer now. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
        };
    };
    getHistorySummary: {
        parameters: {
            query?: {
                /** @description Only runs queued at this instant or later, and at most 3,660 days before `to`. Default: seven days before `to`. The answer says which range it covers. */
                from?: string;
                /** @description Only runs queued before this instant. Default: now. */
                to?: string;
                /** @description Only runs of this repository. */
                repository_id?: string;
                /** @description Only runs of this schedule. */
                schedule_id?: string;
                /** @description Only runs that were started by this. */
                trigger?: components["schemas"]["ExecutionTrigger"];
                /** @description Only runs of this pod. */
                pod_name?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HistorySummaryDto"];
                };
            };
            /** @description The form of the request is wrong; `errors` names each field. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token's role is less than viewer. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `rate_limit_exceeded`, `too_many_failures`: `Retry-After` says when to try again. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `internal_error`: the log holds the cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The database does not answer now. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
        };
    };
    getHistoryTimeline: {
        parameters: {
            query?: {
                /** @description Only runs queued at this instant or later, and at most 3,660 days before `to`. Default: seven days before `to`. The answer says which range it covers. */
                from?: string;
                /** @description Only runs queued before this instant. Default: now. */
                to?: string;
                /** @description Only runs of this repository. */
                repository_id?: string;
                /** @description Only runs of this schedule. */
                schedule_id?: string;
                /** @description Only runs that were started by this. */
                trigger?: components["schemas"]["ExecutionTrigger"];
                /** @description Only runs of this pod. */
                pod_name?: string;
                /** @description IANA name of the time zone of hours and days. */
                timezone?: string;
                /** @description Length of a bucket; a longer one is taken when the range has more than 1,000. Default: `hour` up to 3 days, `day` up to 92, else `week`. */
                bucket?: components["schemas"]["TimelineBucketSize"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TimelineDto"];
                };
            };
            /** @description The form of the request is wrong; `errors` names each field. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token's role is less than viewer. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `timezone_invalid`. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `rate_limit_exceeded`, `too_many_failures`: `Retry-After` says when to try again. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `internal_error`: the log holds the cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The database does not answer now. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
        };
    };
    getHistoryFailures: {
        parameters: {
            query?: {
                /** @description Only runs queued at this instant or later, and at most 3,660 days before `to`. Default: seven days before `to`. The answer says which range it covers. */
                from?: string;
                /** @description Only runs queued before this instant. Default: now. */
                to?: string;
                /** @description Only runs of this repository. */
                repository_id?: string;
                /** @description Only runs of this schedule. */
                schedule_id?: string;
                /** @description Only runs that were started by this. */
                trigger?: components["schemas"]["ExecutionTrigger"];
                /** @description Only runs of this pod. */
                pod_name?: string;
                /** @description IANA name of the time zone of hours and days. */
                timezone?: string;
                /** @description How many repositories and error codes to answer, those with most failures first. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FailureBreakdownDto"];
                };
            };
            /** @description The form of the request is wrong; `errors` names each field. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token's role is less than viewer. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `timezone_invalid`. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `rate_limit_exceeded`, `too_many_failures`: `Retry-After` says when to try again. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `internal_error`: the log holds the cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The database does not answer now. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
        };
    };
    listLocks: {
        parameters: {
            query?: {
                /** @description How many items to answer. */
                limit?: number;
                /** @description How many items to skip. */
                offset?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LockListDto"];
                };
            };
            /** @description The form of the request is wrong; `errors` names each field. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token's role is less than viewer. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `rate_limit_exceeded`, `too_many_failures`: `Retry-After` says when to try again. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `internal_error`: the log holds the cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `lease_unavailable`: Redis or the database does not answer now. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
        };
    };
    releaseLock: {
        parameters: {
            query: {
                /** @description Why; recorded in the audit log. */
                reason: string;
            };
            header?: never;
            path: {
                /** @description Id of the repository. */
                repository_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; there is no body. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The reason is missing, or the id is no UUID. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token's role is less than admin. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /**
             * @description There is no such repository, or it was deleted.
             *
             *     `lock_not_held`: no run holds it.
             */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `lock_changed`: its holder has released it meanwhile. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `rate_limit_exceeded`, `too_many_failures`: `Retry-After` says when to try again. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `internal_error`: the log holds the cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `lease_unavailable`: Redis or the database does not answer now. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
        };
    };
    getCluster: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ClusterDto"];
                };
            };
            /** @description The token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token's role is less than viewer. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `rate_limit_exceeded`, `too_many_failures`: `Retry-After` says when to try again. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `internal_error`: the log holds the cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The database does not answer now. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
        };
    };
    listTokens: {
        parameters: {
            query?: {
                /** @description How many items to answer. */
                limit?: number;
                /** @description How many items to skip. */
                offset?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenListDto"];
                };
            };
            /** @description The form of the request is wrong; `errors` names each field. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token's role is less than admin. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `rate_limit_exceeded`, `too_many_failures`: `Retry-After` says when to try again. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `internal_error`: the log holds the cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The database does not answer now. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
        };
    };
    createToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateTokenDto"];
            };
        };
        responses: {
            /** @description Done. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewTokenDto"];
                };
            };
            /** @description The form of the request is wrong; `errors` names each field. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token's role is less than admin. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `value_refused`: `expires_at` is past, or later than API_TOKEN_MAX_DAYS allow. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `rate_limit_exceeded`, `too_many_failures`: `Retry-After` says when to try again. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `internal_error`: the log holds the cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The database does not answer now. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
        };
    };
    rotateToken: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the token. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["RotateTokenDto"];
            };
        };
        responses: {
            /** @description Done. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewTokenDto"];
                };
            };
            /** @description The form of the request is wrong; `errors` names each field. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token's role is less than admin. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description There is no such token, or it was deleted. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `token_not_valid`: it is revoked or expired. `token_configured`: it comes from the configuration. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `value_refused`: `expires_at` is past, or later than API_TOKEN_MAX_DAYS allow. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `rate_limit_exceeded`, `too_many_failures`: `Retry-After` says when to try again. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `internal_error`: the log holds the cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The database does not answer now. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
        };
    };
    revokeToken: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the token. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; there is no body. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The form of the request is wrong; `errors` names each field. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token's role is less than admin. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description There is no such token, or it was deleted. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `last_admin_token`: no other valid token could create another. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `rate_limit_exceeded`, `too_many_failures`: `Retry-After` says when to try again. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `internal_error`: the log holds the cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The database does not answer now. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
        };
    };
    getIdentity: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IdentityDto"];
                };
            };
            /** @description The token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token's role is less than viewer. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `rate_limit_exceeded`, `too_many_failures`: `Retry-After` says when to try again. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `internal_error`: the log holds the cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The database does not answer now. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
        };
    };
    listAuditEntries: {
        parameters: {
            query?: {
                /** @description How many items to answer. */
                limit?: number;
                /** @description How many items to skip. */
                offset?: number;
                /** @description Only records of this kind. */
                kind?: components["schemas"]["AuditKind"];
                /** @description Only calls of this caller. */
                actor_id?: string;
                /** @description Only this action. */
                action?: string;
                /** @description Only this kind of subject. */
                subject_type?: string;
                /** @description Only this subject. */
                subject_id?: string;
                /** @description Only calls that changed or showed something of this repository. */
                repository_id?: string;
                /** @description Only calls from this address. */
                client_address?: string;
                /** @description Only searches for exactly this text. */
                query?: string;
                /** @description Only this outcome. */
                outcome?: components["schemas"]["AuditOutcome"];
                /** @description Only calls at this instant or later. */
                from?: string;
                /** @description Only calls before this instant. */
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditEntryListDto"];
                };
            };
            /** @description The form of the request is wrong; `errors` names each field. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token's role is less than admin. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `rate_limit_exceeded`, `too_many_failures`: `Retry-After` says when to try again. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `internal_error`: the log holds the cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The database does not answer now. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
        };
    };
    checkAudit: {
        parameters: {
            query?: {
                /** @description A record of an earlier check or export. */
                known_id?: number;
                /** @description Its hash. The check fails when that record has another hash now, or is missing. */
                known_hash?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditCheckDto"];
                };
            };
            /** @description The form of the request is wrong; `errors` names each field. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token's role is less than admin. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `value_refused`: only one of `known_id` and `known_hash` is given. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `rate_limit_exceeded`, `too_many_failures`: `Retry-After` says when to try again. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `internal_error`: the log holds the cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The database does not answer now. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
        };
    };
    exportAudit: {
        parameters: {
            query?: {
                /** @description Only records of this kind. */
                kind?: components["schemas"]["AuditKind"];
                /** @description Only calls of this caller. */
                actor_id?: string;
                /** @description Only this action. */
                action?: string;
                /** @description Only this kind of subject. */
                subject_type?: string;
                /** @description Only this subject. */
                subject_id?: string;
                /** @description Only calls that changed or showed something of this repository. */
                repository_id?: string;
                /** @description Only calls from this address. */
                client_address?: string;
                /** @description Only searches for exactly this text. */
                query?: string;
                /** @description Only this outcome. */
                outcome?: components["schemas"]["AuditOutcome"];
                /** @description Only calls at this instant or later. */
                from?: string;
                /** @description Only calls before this instant. */
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The records. When the connection breaks before the end, they are not complete. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": string;
                };
            };
            /** @description The form of the request is wrong; `errors` names each field. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token's role is less than admin. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `rate_limit_exceeded`, `too_many_failures`: `Retry-After` says when to try again. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `internal_error`: the log holds the cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The database does not answer now. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
        };
    };
    searchIndex: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SearchRequestDto"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SearchHitListDto"];
                };
            };
            /** @description The form of the request is wrong; `errors` names each field. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token's role is less than viewer. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `repository_not_found`, `glob_invalid`, `cursor_invalid`, `pattern_invalid`, `mode_mismatch`: `errors` names the field. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /**
             * @description The embedding server limits the rate; `Retry-After` says when to try again.
             *
             *     `rate_limit_exceeded`, `too_many_failures`: `Retry-After` says when to try again.
             */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `internal_error`: the log holds the cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The embedding server refused the key: `embedding_key_rejected`. */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The embedding server, the vector store or the database does not answer now; `embedding_model_unavailable`: the index was made with a model that this pod cannot reach. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
        };
    };
    listDeclared: {
        parameters: {
            query?: {
                /** @description How many items to answer. */
                limit?: number;
                /** @description How many items to skip. */
                offset?: number;
                /** @description Only this declaration. */
                declaration?: string;
                /** @description Kind of the resource. */
                kind?: components["schemas"]["DeclaredKind"];
                /** @description Only this repository, schedule, discovery or credential. */
                resource_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeclaredResourceListDto"];
                };
            };
            /** @description The form of the request is wrong; `errors` names each field. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token's role is less than viewer. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `rate_limit_exceeded`, `too_many_failures`: `Retry-After` says when to try again. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `internal_error`: the log holds the cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The database does not answer now. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
        };
    };
    readRound: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the declaration. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeclarationRoundDto"];
                };
            };
            /** @description The form of the request is wrong; `errors` names each field. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token's role is less than viewer. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `declaration_not_found`: the leader has compared no such declaration. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `rate_limit_exceeded`, `too_many_failures`: `Retry-After` says when to try again. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `internal_error`: the log holds the cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The database does not answer now. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
        };
    };
    replaceDeclaration: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the declaration. */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReplaceDeclarationDto"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeclaredResourceListDto"];
                };
            };
            /** @description The form of the request is wrong; `errors` names each field. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token's role is less than admin. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `value_refused`: two resources of a kind have the same key. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `rate_limit_exceeded`, `too_many_failures`: `Retry-After` says when to try again. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `internal_error`: the log holds the cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The database does not answer now. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
        };
    };
    listSettings: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    /** @description The revision of all settings together, for `If-Match`. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SettingListDto"];
                };
            };
            /** @description The token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token's role is less than admin. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `rate_limit_exceeded`, `too_many_failures`: `Retry-After` says when to try again. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `internal_error`: the log holds the cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The database does not answer now. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
        };
    };
    updateSettings: {
        parameters: {
            query?: never;
            header?: {
                /** @description Change them only if all settings together still have this `ETag`. */
                "If-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateSettingsDto"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    /** @description The revision of all settings together, for `If-Match`. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SettingListDto"];
                };
            };
            /** @description The form of the request is wrong, or it changes nothing. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token's role is less than admin. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `revision_mismatch`: a setting was changed since. */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `setting_invalid`: `errors` names the setting and what it may be. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `rate_limit_exceeded`, `too_many_failures`: `Retry-After` says when to try again. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `internal_error`: the log holds the cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The database does not answer now. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
        };
    };
    listCredentials: {
        parameters: {
            query?: {
                /** @description How many items to answer. */
                limit?: number;
                /** @description How many items to skip. */
                offset?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CredentialListDto"];
                };
            };
            /** @description The form of the request is wrong; `errors` names each field. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token's role is less than admin. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `rate_limit_exceeded`, `too_many_failures`: `Retry-After` says when to try again. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `internal_error`: the log holds the cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The database does not answer now. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
        };
    };
    createCredential: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateCredentialDto"];
            };
        };
        responses: {
            /** @description Done. */
            201: {
                headers: {
                    /** @description The revision, for `If-Match`. */
                    ETag?: string;
                    /** @description Address of the new row. */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CredentialDto"];
                };
            };
            /** @description The form of the request is wrong; `errors` names each field. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token's role is less than admin. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `credential_exists`: the name is taken. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `encryption_key_missing`, `source_url_invalid`, `url_not_allowed`, `username_unexpected`. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `rate_limit_exceeded`, `too_many_failures`: `Retry-After` says when to try again. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `internal_error`: the log holds the cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The database does not answer now. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
        };
    };
    getCredential: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the credential. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    /** @description The revision, for `If-Match`. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CredentialDto"];
                };
            };
            /** @description The form of the request is wrong; `errors` names each field. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token's role is less than admin. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description There is no such credential, or it was deleted. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `rate_limit_exceeded`, `too_many_failures`: `Retry-After` says when to try again. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `internal_error`: the log holds the cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The database does not answer now. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
        };
    };
    deleteCredential: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the credential. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; there is no body. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The form of the request is wrong; `errors` names each field. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token's role is less than admin. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description There is no such credential, or it was deleted. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `credential_in_use`: a repository is read with it. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `rate_limit_exceeded`, `too_many_failures`: `Retry-After` says when to try again. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `internal_error`: the log holds the cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The database does not answer now. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
        };
    };
    updateCredential: {
        parameters: {
            query?: never;
            header?: {
                /** @description Change it only if it still has this `ETag`. */
                "If-Match"?: string;
            };
            path: {
                /** @description Id of the credential. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CredentialSecretDto"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    /** @description The revision, for `If-Match`. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CredentialDto"];
                };
            };
            /** @description The form of the request is wrong; `errors` names each field. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token's role is less than admin. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description There is no such credential, or it was deleted. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `revision_mismatch`: it was changed since. */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `encryption_key_missing`, `username_unexpected`. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `rate_limit_exceeded`, `too_many_failures`: `Retry-After` says when to try again. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `internal_error`: the log holds the cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The database does not answer now. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
        };
    };
    rotateCredentialKey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeyRotationDto"];
                };
            };
            /** @description The token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token's role is less than admin. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `encryption_key_missing`. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `rate_limit_exceeded`, `too_many_failures`: `Retry-After` says when to try again. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `internal_error`: the log holds the cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The database does not answer now. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
        };
    };
    getLiveness: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The process answers. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LivenessDto"];
                };
            };
        };
    };
    getReadiness: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReadinessDto"];
                };
            };
            /** @description `internal_error`: the log holds the cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `not_ready` with each dependency, or `shutting_down`. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["NotReadyProblemDto"];
                };
            };
        };
    };
    getHealth: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReadinessDto"];
                };
            };
            /** @description `internal_error`: the log holds the cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `not_ready` with each dependency, or `shutting_down`. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["NotReadyProblemDto"];
                };
            };
        };
    };
    scrape: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One line for each series. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            /** @description `token_rejected`: `METRICS_TOKEN` is set, and the request has another token or none. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `metrics_not_public`: the request came through a proxy. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `route_not_found`: `METRICS_PORT` is set, and the metrics are there alone. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
        };
    };
    getSignInOptions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignInOptionsDto"];
                };
            };
            /** @description `internal_error`: the log holds the cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The database does not answer now. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
        };
    };
    signOut: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; there is no body. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `cross_site_request`: a page of another site sent it. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `internal_error`: the log holds the cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The database does not answer now. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
        };
    };
    receiveGitlabEvent: {
        parameters: {
            query?: never;
            header?: {
                /** @description Or `v1,` and the base64 HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>`. */
                "webhook-signature"?: string;
                /** @description `GITLAB_WEBHOOK_SECRET`. */
                "X-Gitlab-Token"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description An event as GitLab sends it. */
        requestBody: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description Received. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookReceiptDto"];
                };
            };
            /** @description `malformed_request`: the body is not JSON. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `webhook_unproven`, `webhook_token_rejected`, `webhook_signature_rejected`, `webhook_timestamp_stale`. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `webhooks_disabled`: set `GITLAB_WEBHOOK_SECRET`. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `too_many_failures`: too many refused events from this address; `Retry-After` says when to try again. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `internal_error`: the log holds the cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `webhooks_busy`: too many signed events at once. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
        };
    };
    listEventWebhooks: {
        parameters: {
            query?: {
                /** @description How many items to answer. */
                limit?: number;
                /** @description How many items to skip. */
                offset?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventWebhookListDto"];
                };
            };
            /** @description The form of the request is wrong; `errors` names each field. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token's role is less than admin. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `rate_limit_exceeded`, `too_many_failures`: `Retry-After` says when to try again. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `internal_error`: the log holds the cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The database does not answer now. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
        };
    };
    createEventWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateEventWebhookDto"];
            };
        };
        responses: {
            /** @description Done. */
            201: {
                headers: {
                    /** @description The revision, for `If-Match`. */
                    ETag?: string;
                    /** @description Address of the new row. */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewEventWebhookDto"];
                };
            };
            /** @description The form of the request is wrong; `errors` names each field. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token's role is less than admin. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `webhook_exists`: the name is taken. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `encryption_key_missing`, `webhook_url_invalid`, `url_not_allowed`. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `rate_limit_exceeded`, `too_many_failures`: `Retry-After` says when to try again. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `internal_error`: the log holds the cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The database does not answer now. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
        };
    };
    getEventWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the webhook. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    /** @description The revision, for `If-Match`. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventWebhookDto"];
                };
            };
            /** @description The form of the request is wrong; `errors` names each field. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token's role is less than admin. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description There is no such webhook, or it was deleted. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `rate_limit_exceeded`, `too_many_failures`: `Retry-After` says when to try again. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `internal_error`: the log holds the cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The database does not answer now. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
        };
    };
    deleteEventWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the webhook. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; there is no body. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The form of the request is wrong; `errors` names each field. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token's role is less than admin. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description There is no such webhook, or it was deleted. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `rate_limit_exceeded`, `too_many_failures`: `Retry-After` says when to try again. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `internal_error`: the log holds the cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The database does not answer now. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
        };
    };
    updateEventWebhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description Change it only if it still has this `ETag`. */
                "If-Match"?: string;
            };
            path: {
                /** @description Id of the webhook. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateEventWebhookDto"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    /** @description The revision, for `If-Match`. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventWebhookDto"];
                };
            };
            /** @description The form of the request is wrong; `errors` names each field. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token's role is less than admin. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description There is no such webhook, or it was deleted. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `webhook_exists`: the name is taken. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `revision_mismatch`: it was changed since. */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `webhook_url_invalid`, `url_not_allowed`. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `rate_limit_exceeded`, `too_many_failures`: `Retry-After` says when to try again. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `internal_error`: the log holds the cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The database does not answer now. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
        };
    };
    rotateEventWebhookSecret: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the webhook. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    /** @description The revision, for `If-Match`. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewEventWebhookDto"];
                };
            };
            /** @description The form of the request is wrong; `errors` names each field. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token's role is less than admin. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description There is no such webhook, or it was deleted. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `encryption_key_missing`. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `rate_limit_exceeded`, `too_many_failures`: `Retry-After` says when to try again. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `internal_error`: the log holds the cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The database does not answer now. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
        };
    };
    testEventWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the webhook. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventDeliveryDto"];
                };
            };
            /** @description The form of the request is wrong; `errors` names each field. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token's role is less than admin. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description There is no such webhook, or it was deleted. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `rate_limit_exceeded`, `too_many_failures`: `Retry-After` says when to try again. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `internal_error`: the log holds the cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The database does not answer now. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
        };
    };
    listEventDeliveries: {
        parameters: {
            query?: {
                /** @description How many items to answer. */
                limit?: number;
                /** @description How many items to skip. */
                offset?: number;
                /** @description Only deliveries with this status. */
                status?: "pending" | "delivered" | "failed";
            };
            header?: never;
            path: {
                /** @description Id of the webhook. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventDeliveryListDto"];
                };
            };
            /** @description The form of the request is wrong; `errors` names each field. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token's role is less than admin. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description There is no such webhook, or it was deleted. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `rate_limit_exceeded`, `too_many_failures`: `Retry-After` says when to try again. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `internal_error`: the log holds the cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The database does not answer now. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
        };
    };
    retryEventDelivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the webhook. */
                id: string;
                /** @description Id of the delivery. */
                delivery_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventDeliveryDto"];
                };
            };
            /** @description The form of the request is wrong; `errors` names each field. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token is missing, unknown, expired or revoked. */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The token's role is less than admin. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /**
             * @description There is no such delivery, or it was deleted.
             *
             *     There is no such webhook, or it was deleted.
             */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `rate_limit_exceeded`, `too_many_failures`: `Retry-After` says when to try again. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description `internal_error`: the log holds the cause under the request id. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
            /** @description The database does not answer now. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDto"];
                };
            };
        };
    };
}
