export { termsOf } from './document-terms.js';
export { fusedScores } from './fuse.js';
export { queryOf, type Query, type QueryKind } from './query.js';
