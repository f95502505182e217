export { createCredentialStore, type CredentialStoreOptions } from './credential-store.js';
