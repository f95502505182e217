/** Tokens of what has no class of its own. A port is its own token; `composition/` decides which adapter stands behind it. */
export const CONFIG = Symbol('Config');
export const HANDLER_PORTS = Symbol('HandlerPorts');
export const RUNNER_PORTS = Symbol('RunnerPorts');
export const RUN_HANDLERS = Symbol('RunHandlers');
/** Boolean: this process alone works on the database. */
export const IS_DATA_EXCLUSIVE = Symbol('IsDataExclusive');
