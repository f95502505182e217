export { CertificateError, readCertificates } from './certificates.js';
export { tlsAdvice } from './tls-advice.js';
export { tlsDispatcher } from './tls-dispatcher.js';
export { tlsOptions } from './tls-options.js';
