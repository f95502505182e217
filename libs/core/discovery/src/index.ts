export { type Wanted } from './plan.js';
export { type DiscoveryPorts } from './ports.js';
export { previewDiscovery, runDiscovery, type DiscoveryPreview } from './run-discovery.js';
export { compileSelection } from './selection.js';
