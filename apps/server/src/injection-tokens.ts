/** Injection tokens for values without a class. A port is its own token; `composition/` selects its adapter. */
export const CONFIG = Symbol('Config');
export const HANDLER_PORTS = Symbol('HandlerPorts');
export const RUNNER_PORTS = Symbol('RunnerPorts');
export const RUN_HANDLERS = Symbol('RunHandlers');
/** Boolean: only this process uses the database. */
export const IS_DATA_EXCLUSIVE = Symbol('IsDataExclusive');
