export { GitReader } from './git/git-reader.js';
export { listTree, type GitTreeEntry } from './git/tree.js';
export { type Fault, type FaultEffect, FaultSet } from './http/faults.js';
export { type RequestRecord, type TokenSeen } from './http/stand-in-server.js';
export {
  type EmbeddingSettings,
  LENGTH_REFUSALS,
  type StandInModel,
} from './embedding-stand-in/embedding-settings.js';
export {
  type EmbeddingStandIn,
  type EmbeddingStandInOptions,
  type EmbeddingTotals,
  startEmbeddingStandIn,
} from './embedding-stand-in/embedding-stand-in.js';
export { type EmbeddingEffect, type EmbeddingWork } from './embedding-stand-in/embeddings-endpoint.js';
export { embeddingOf } from './embedding-stand-in/vectors.js';
export { type AccessToken, type TokenScope } from './gitlab-stand-in/access.js';
export {
  type GitLabStandIn,
  type GitLabStandInOptions,
  startGitLabStandIn,
} from './gitlab-stand-in/gitlab-stand-in.js';
export { type StandInGrant } from './gitlab-stand-in/oauth-route.js';
export { type AddProjectOptions, type ProjectRole, type StandInProject } from './gitlab-stand-in/projects.js';
export { type GitLabSettings, type RateLimit } from './gitlab-stand-in/settings.js';
export { cloneForDemo, type DemoClone } from './git-fixtures/clone-for-demo.js';
export { type TreeEdit } from './git-fixtures/fast-import.js';
export { type GenerateOptions, generateRepository } from './git-fixtures/generate-repository.js';
export { createGitRepository, type GitRepository, openGitRepository } from './git-fixtures/git-repository.js';
export { Random } from './git-fixtures/random.js';
export { type GitServer, startGitServer } from './git-server/git-server.js';
export * from './qdrant-double/index.js';
export {
  type KubernetesStandIn,
  type KubernetesStandInOptions,
  startKubernetesStandIn,
} from './kubernetes-stand-in/kubernetes-stand-in.js';
export { type Authority, createAuthority, createSelfSigned } from './kubernetes-stand-in/certificate.js';
export { type PodSetting } from './kubernetes-stand-in/pod-object.js';
export { type RerankingStandIn, startRerankingStandIn } from './reranking-stand-in/reranking-stand-in.js';
