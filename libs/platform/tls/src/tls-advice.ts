/** The server's alerts about the certificate of its client, in the words of OpenSSL and Postgres, and in its error codes. */
const CLIENT_REFUSED =
  /ALERT_(BAD_|UNSUPPORTED_)?CERTIFICATE|ALERT_UNKNOWN_CA|ALERT_HANDSHAKE_FAILURE|ALERT_ACCESS_DENIED|alert (bad certificate|unsupported certificate|certificate|unknown ca|handshake failure|access denied)|requires a valid client certificate|certificate authentication failed/i;

/** Node's codes and words for a certificate of a server that it does not trust. */
const SERVER_UNTRUSTED =
  /SELF_SIGNED_CERT|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER|self-signed certificate|unable to (verify|get local issuer)/i;

/** The server has ended the connection. Its alert about the certificate may be lost: the client was still sending. */
const ENDED = /ECONNRESET|EPIPE|UND_ERR_SOCKET|terminated unexpectedly|socket hang up/;

/**
 * What to check when a connection failed; empty for a failure that has nothing to do with TLS.
 * @param reason the error's code or message.
 * @param setting the setting with the directory of the certificates, e.g. `QDRANT_TLS_DIR`.
 * @param usesTls whether the connection was to use TLS.
 */
export function tlsAdvice(reason: string | null, setting: string, usesTls: boolean): string {
  if (reason === null) return '';
  if (CLIENT_REFUSED.test(reason))
    return ` The server expects a client certificate of an authority that it trusts: check tls.crt and tls.key in ${setting}.`;
  if (SERVER_UNTRUSTED.test(reason))
    return ` The server's certificate is of an unknown authority: put that authority into ca.crt in ${setting}.`;
  if (usesTls && ENDED.test(reason))
    return ` If the server expects a client certificate, check tls.crt and tls.key in ${setting}.`;
  return '';
}
