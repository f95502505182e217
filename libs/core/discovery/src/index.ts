export { type DiscoveryPorts } from './look.js';
export { type Wanted } from './plan.js';
export { type DiscoveryPreview, NO_COUNTS, previewDiscovery, runDiscovery } from './run-discovery.js';
export { compileSelection } from './selection.js';
