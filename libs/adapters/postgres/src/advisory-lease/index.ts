export { createAdvisoryLeaseManager, type AdvisoryLeaseOptions } from './advisory-lease-manager.js';
