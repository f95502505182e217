import { type AddressInfo } from 'node:net';
import { Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { Authenticator } from '../access/authenticator.js';

/** The API of this process, for a child process that acts for it. */
@Injectable()
export class OwnApi {
  private token: string | null = null;

  constructor(
    private readonly adapter: HttpAdapterHost,
    private readonly authenticator: Authenticator,
  ) {}

  /** Null until this process listens. The token is accepted by this process alone, and is stored nowhere. */
  access(): { url: string; token: string } | null {
    const server = this.adapter.httpAdapter.getHttpServer() as { address(): AddressInfo | string | null };
    const address = server.address();
    if (address === null || typeof address === 'string') return null;
    this.token ??= this.authenticator.makeOwnToken('declared', 'declared resources');
    return { url: `http://${hostOf(address)}:${address.port}`, token: this.token };
  }
}

function hostOf({ address, family }: AddressInfo): string {
  if (address === '0.0.0.0' || address === '::') return '127.0.0.1';
  return family === 'IPv6' ? `[${address}]` : address;
}
