import { readFileSync } from 'node:fs';
import { mkdtemp, rename, rm, symlink, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tlsOptions } from '@platform/tls';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { clientAuthority, serverAuthority, writeCertificates } from '../../support/certified-servers.js';
import { until } from '../../support/command-line.js';

const CALLS = 200;
/** Much more than the process reads for anything else meanwhile. */
const MANY_AUTHORITIES = serverAuthority.cert.repeat(300);

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'repotide-renewed-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

/** What this process has read since it started, as Linux counts it. */
const readBytes = () => Number(/rchar: (\d+)/.exec(readFileSync('/proc/self/io', 'utf8'))?.[1]);

describe('certificates of a directory', () => {
  it('are read again only when a file changed, and then at once', async () => {
    const certified = await writeCertificates(join(directory, 'files'), 'first');
    await writeFile(join(certified, 'ca.crt'), MANY_AUTHORITIES);
    const options = tlsOptions(certified, () => undefined);
    const former = options.secureContext;
    const readByCalls = () => {
      const before = readBytes();
      for (let call = 0; call < CALLS; call++) expect(options.secureContext).toBe(former);
      return readBytes() - before;
    };
    // Files that were written a moment ago are read each time.
    expect(readByCalls()).toBeGreaterThan(CALLS * MANY_AUTHORITIES.length);
    await until('calls that read no file', () => readByCalls() < MANY_AUTHORITIES.length);
    const { key, cert } = clientAuthority.issue('second');
    await writeFile(join(certified, 'tls.key'), key);
    expect(options.secureContext).toBe(former);
    await writeFile(join(certified, 'tls.crt'), cert);
    expect(options.secureContext).not.toBe(former);
  });

  it('are replaced as Kubernetes replaces the files of a Secret, by another target of a symbolic link', async () => {
    const mounted = join(directory, 'mounted');
    await writeCertificates(join(mounted, '..first'), 'first');
    await writeCertificates(join(mounted, '..second'), 'second');
    await symlink('..first', join(mounted, '..data'));
    for (const name of ['tls.crt', 'tls.key', 'ca.crt']) await symlink(`..data/${name}`, join(mounted, name));
    const options = tlsOptions(mounted, () => undefined);
    const former = options.secureContext;
    expect(options.secureContext).toBe(former);
    await symlink('..second', join(mounted, '..new'));
    await rename(join(mounted, '..new'), join(mounted, '..data'));
    expect(options.secureContext).not.toBe(former);
  });

  it('stay in use while a file is missing, and one warning says so', async () => {
    const certified = await writeCertificates(join(directory, 'missing'), 'first');
    const warnings: string[] = [];
    const options = tlsOptions(certified, (problem) => void warnings.push(problem));
    const former = options.secureContext;
    await unlink(join(certified, 'tls.key'));
    for (let call = 0; call < 3; call++) expect(options.secureContext).toBe(former);
    expect(warnings).toEqual([expect.stringContaining('it has tls.crt and no tls.key')]);
  });
});
