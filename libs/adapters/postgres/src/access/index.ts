export { createAuditLog } from './audit-log.js';
export { createPodRegistry } from './pod-registry.js';
export { createTokenRegistry } from './token-registry.js';
