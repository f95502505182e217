import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { createServer, type Server, type TlsOptions } from 'node:tls';
import { createSelfSigned } from '@devkit';

/**
 * Terminates TLS in front of a server of this machine.
 * @param hosts names that its certificate is valid for, besides 127.0.0.1.
 * @returns the server, and the file of the authority that signed its certificate, in `directory`.
 */
export async function startTls(
  port: number,
  directory: string,
  hosts: readonly string[] = [],
): Promise<[Server, authority: string]> {
  const { key, cert } = createSelfSigned(hosts);
  const authority = join(directory, 'authority.pem');
  await writeFile(authority, cert);
  return [await terminateTls(port, { key, cert }), authority];
}

/** The same with these options, and with the certificates of the clients that connected. */
export async function startMutualTls(
  port: number,
  options: Pick<TlsOptions, 'key' | 'cert' | 'ca'>,
): Promise<{ server: Server; url: string; clients: string[] }> {
  const server = await terminateTls(port, { ...options, requestCert: true, rejectUnauthorized: true });
  const clients: string[] = [];
  server.on('secureConnection', (client) => clients.push(String(client.getPeerCertificate().subject.CN)));
  return { server, clients, url: `https://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

async function terminateTls(port: number, options: TlsOptions): Promise<Server> {
  const server = createServer(options, (client) => {
    const upstream = connect(port, '127.0.0.1');
    for (const socket of [client, upstream]) socket.on('error', () => socket.destroy());
    client.on('close', () => upstream.destroy());
    upstream.on('close', () => client.destroy());
    client.pipe(upstream).pipe(client);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}
