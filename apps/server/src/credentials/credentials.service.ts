import { Inject, Injectable } from '@nestjs/common';
import { CredentialStore } from '@adapters/postgres';
import {
  RepotideError,
  type Credential,
  type CredentialSecret,
  type KeyRotation,
  type Page,
  type PageRequest,
  SourceFactory,
} from '@core/domain';
import { type Config } from '@platform/config';
import { naming } from '../http/refused-field.js';
import { normalizeBaseUrl } from '../repositories/registration.service.js';
import { CONFIG } from '../injection-tokens.js';

/** Credentials of code hosts. Their secrets can be written but never read. */
@Injectable()
export class CredentialsService {
  constructor(
    private readonly credentials: CredentialStore,
    private readonly sources: SourceFactory,
    @Inject(CONFIG) private readonly config: Pick<Config, 'gitlab'>,
  ) {}

  /** @throws invalid `encryption_key_missing`, `source_url_invalid`, `url_not_allowed`; conflict `credential_exists`. */
  async create(
    {
      name,
      baseUrl = this.config.gitlab.url,
      secret,
    }: { name: string; baseUrl?: string; secret: CredentialSecret },
    signal: AbortSignal,
  ): Promise<Credential> {
    try {
      // Opening a source validates the address and sends no request.
      await this.sources.open({ baseUrl, credentialId: null }, signal);
    } catch (error) {
      throw naming(error, { source_url_invalid: 'base_url', url_not_allowed: 'base_url' });
    }
    return this.credentials.create({ name, baseUrl: normalizeBaseUrl(baseUrl), ...secret });
  }

  list(page: PageRequest): Promise<Page<Credential>> {
    return this.credentials.list(page);
  }

  /** @throws not_found `credential_not_found`. */
  async get(credentialId: string): Promise<Credential> {
    const found = await this.credentials.find(credentialId);
    if (found) return found;
    throw new RepotideError('not_found', 'credential_not_found', `There is no credential ${credentialId}.`);
  }

  /** @throws not_found `credential_not_found`; conflict `revision_mismatch`; invalid `encryption_key_missing`. */
  replaceSecret(
    credentialId: string,
    secret: CredentialSecret,
    expectedRevision: number | undefined,
  ): Promise<Credential> {
    return this.credentials.replaceSecret(credentialId, secret, expectedRevision);
  }

  /** @throws not_found `credential_not_found`; conflict `credential_in_use`. */
  remove(credentialId: string): Promise<void> {
    return this.credentials.delete(credentialId);
  }

  /** @throws invalid `encryption_key_missing`. */
  rotateKey(): Promise<KeyRotation> {
    return this.credentials.rotateKey();
  }
}
