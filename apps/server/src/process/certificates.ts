import { type Config, ConfigError, type ConfigProblem } from '@platform/config';
import { CertificateError, readCertificates } from '@platform/tls';

/** Tries to read the certificates of each server. @throws ConfigError for all directories that cannot be used. */
export function checkCertificates({ postgres, redis, qdrant, embedding, reranking, gitlab }: Config): void {
  const directories: Record<string, string | undefined> = {
    DATABASE_TLS_DIR: postgres.tlsDir,
    REDIS_TLS_DIR: redis?.tlsDir,
    QDRANT_TLS_DIR: qdrant.tlsDir,
    EMBEDDING_TLS_DIR: embedding.provider === 'openai' ? embedding.tlsDir : undefined,
    RERANK_TLS_DIR: reranking?.tlsDir,
    GITLAB_TLS_DIR: gitlab.tlsDir,
  };
  const problems = Object.entries(directories).flatMap(([variable, directory]) =>
    directory === undefined ? [] : problemOf(variable, directory),
  );
  if (problems.length > 0) throw new ConfigError(problems);
}

function problemOf(variable: string, directory: string): ConfigProblem[] {
  try {
    readCertificates(directory);
    return [];
  } catch (error) {
    if (!(error instanceof CertificateError)) throw error;
    const found = `${JSON.stringify(directory)} (${error.message})`;
    const expected =
      'a directory with a certificate in tls.crt and its key in tls.key, or authorities in ca.crt';
    return [{ variable, found, expected }];
  }
}
