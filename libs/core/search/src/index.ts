export { definedName } from './definitions.js';
export { termsOf } from './document-terms.js';
export { type FusedScore, fusedScores } from './fuse.js';
export { queryOf, type Query, type QueryKind } from './query.js';
export {
  textPattern,
  type MatchRange,
  type TextPattern,
  type TextPatternOptions,
} from './exact/text-pattern.js';
export { metricsOf, type Metrics } from './quality/metrics.js';
export { rankOf } from './quality/rank.js';
