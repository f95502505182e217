import { afterEach, describe, expect, it } from '@jest/globals';
import { RepotideError, type Source } from '@core/domain';
import { failureOf, listAll, openSource, TOKEN } from './open-source.js';
import { type Script, type ScriptedServer, sendJson, startScriptedServer } from './scripted-server.js';

const SHA = 'a'.repeat(40);
const PROJECT = {
  id: 7,
  path_with_namespace: 'group/project',
  default_branch: 'main',
  empty_repo: false,
  archived: false,
};
const signal = () => new AbortController().signal;
const servers: ScriptedServer[] = [];

async function serve(script: Script): Promise<ScriptedServer> {
  const server = await startScriptedServer(script);
  servers.push(server);
  return server;
}
const entry = (path: string) => ({ id: SHA, name: path, path, type: 'blob', mode: '100644' });
const head = (source: Source) => source.headOf(7, 'main', signal());

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.stop()));
});

describe('requests to GitLab', () => {
  it('requests carry a Bearer token and the user agent, and no header that triggers hotlinking protection', async () => {
    const server = await serve((_, response) => sendJson(response, { commit: { id: SHA } }));
    const { source } = await openSource(server.url);
    expect(await head(source)).toMatchObject({ commit: SHA });
    expect(source.usage()).toMatchObject({ requests: 1 });
    expect(server.seen[0]).toMatchObject({
      url: '/api/v4/projects/7/repository/branches/main',
      headers: { authorization: `Bearer ${TOKEN}`, 'user-agent': 'repotide-test' },
    });
    expect(server.seen[0]?.headers).not.toHaveProperty('sec-fetch-mode');
  });

  it('requests keep the path prefix of the base URL and encode names', async () => {
    const server = await serve((_, response) => sendJson(response, { ...PROJECT, commit: { id: SHA } }));
    const { source } = await openSource(`${server.url}/gitlab/`);
    await source.headOf(7, 'feature/ü #1', signal());
    await source.findProject('group/sub/project', signal());
    expect(server.seen.map(({ url }) => url)).toEqual([
      '/gitlab/api/v4/projects/7/repository/branches/feature%2F%C3%BC%20%231',
      '/gitlab/api/v4/projects/group%2Fsub%2Fproject',
    ]);
  });

  it('requests use the credential of the repository, without the line break of a mounted file', async () => {
    const server = await serve((_, response) => sendJson(response, PROJECT));
    const { source } = await openSource(server.url, {
      credentialId: 'c1',
      tokenFor: async (credentialId) => ({ token: `token-of-${credentialId}\n`, baseUrl: server.url }),
    });
    await source.findProject(7, signal());
    expect(server.seen[0]?.headers.authorization).toBe('Bearer token-of-c1');
  });

  it('the default token is sent only to the GitLab it belongs to', async () => {
    const server = await serve((_, response) => sendJson(response, PROJECT));
    const foreign = await openSource(server.url, { defaultBaseUrl: 'https://gitlab.example.com' });
    await foreign.source.findProject(7, signal());
    const own = await openSource(`${server.url}/prefix`, { defaultBaseUrl: server.url });
    await own.source.findProject(7, signal());
    expect(server.seen.map(({ headers }) => headers.authorization)).toEqual([undefined, `Bearer ${TOKEN}`]);
  });

  it('opening a source fails with a malformed token or address', async () => {
    const refusal = (options: Parameters<typeof openSource>[1], url = 'http://127.0.0.1') =>
      failureOf(openSource(url, options));
    expect(await refusal({ defaultToken: 'two words' })).toMatchObject({ code: 'source_token_malformed' });
    expect((await refusal({ defaultToken: 'two words' })).message).not.toContain('two words');
    expect(await refusal({ credentialId: 'c1' })).toMatchObject({ code: 'credential_unavailable' });
    expect(await refusal({}, 'gitlab.example.com')).toMatchObject({
      kind: 'invalid',
      code: 'source_url_invalid',
    });
  });

  it('a factory serves several runs, one after another', async () => {
    const sockets = new Set<unknown>();
    const server = await serve((request, response) => {
      sockets.add(request.socket);
      response.end('x');
    });
    const { factory } = await openSource(server.url);
    for (let run = 0; run < 8; run++) {
      const source = await factory.open({ baseUrl: server.url, credentialId: null }, signal());
      await source.readBlob(7, SHA, 10, signal());
      expect(source.usage()).toEqual({ requests: 1, retries: 0, bytes: 1 });
    }
    // undici opens a second connection before it knows that the first is free.
    expect(sockets.size).toBeLessThanOrEqual(2);
  });
});

describe('failed requests', () => {
  it('temporary failures are retried, and every attempt and byte is counted', async () => {
    const server = await serve((_, response, seen) => {
      if (seen.length === 1) response.writeHead(502, { 'content-type': 'text/html' }).end('<html>bad</html>');
      else if (seen.length === 2) response.socket?.destroy();
      else response.end('content');
    });
    const { source, waits, logger } = await openSource(server.url);
    const blob = await source.readBlob(7, SHA, 100, signal());
    expect(blob).toEqual({ kind: 'bytes', bytes: Buffer.from('content') });
    expect(waits).toHaveLength(2);
    const bytes = '<html>bad</html>'.length + 'content'.length;
    expect(source.usage()).toEqual({ requests: 3, retries: 2, bytes });
    expect(logger.lines).toHaveLength(2);
    expect(logger.lines.join()).not.toContain(TOKEN);
  });

  it('a lasting failure is thrown after the last retry', async () => {
    const server = await serve((_, response) => {
      response.writeHead(503, { 'content-type': 'text/html' }).end('<html>down</html>');
    });
    const { source } = await openSource(server.url);
    const failure = await failureOf(head(source));
    expect(failure).toMatchObject({
      kind: 'temporary',
      code: 'source_unavailable',
      details: { status: 503 },
    });
    expect(failure.message).not.toContain('html');
    expect(server.seen).toHaveLength(3);
  });

  it('failures caused by the request are not retried', async () => {
    const server = await serve((_, response) => sendJson(response, { message: '401 Unauthorized' }, 401));
    const { source } = await openSource(server.url);
    expect(await failureOf(head(source))).toMatchObject({
      kind: 'unauthorized',
      code: 'source_token_rejected',
    });
    expect(server.seen).toHaveLength(1);
  });

  it('a failure keeps its status when the body breaks off', async () => {
    const server = await serve((_, response) => {
      response.writeHead(403, { 'content-length': '100' });
      response.write('half');
      setTimeout(() => response.socket?.destroy(), 5);
    });
    const { source } = await openSource(server.url);
    expect(await failureOf(head(source))).toMatchObject({ code: 'source_access_denied' });
  });

  it('a network failure names the setting', async () => {
    const server = await startScriptedServer(() => undefined);
    await server.stop();
    const { source } = await openSource(server.url);
    const failure = await failureOf(head(source));
    expect(failure).toMatchObject({ kind: 'temporary', code: 'source_unavailable' });
    expect(failure.message).toContain('ECONNREFUSED');
    expect(failure.message).toContain('GITLAB_URL');
    expect(source.usage().requests).toBe(3);
  });

  it('an exhausted quota delays the other calls of the source', async () => {
    const server = await serve((_, response, seen) => {
      if (seen.length === 1) response.writeHead(429, { 'retry-after': '60' }).end('Retry later');
      else sendJson(response, { commit: { id: SHA } });
    });
    const { source, waits } = await openSource(server.url, { maxRetries: 0 });
    const limited = await failureOf(head(source));
    expect(limited).toMatchObject({ kind: 'rate_limited', code: 'source_rate_limited' });
    expect(limited.retryAt).toBeInstanceOf(Date);
    expect(waits).toEqual([]);
    await head(source);
    expect(waits).toHaveLength(1);
    expect(waits[0]).toBeGreaterThan(30_000);
  });
});

describe('slow servers', () => {
  it('a request without headers ends at the time limit', async () => {
    const server = await serve(() => undefined);
    const { source } = await openSource(server.url, { requestTimeoutMs: 50, maxRetries: 1 });
    const failure = await failureOf(head(source));
    expect(failure).toMatchObject({ kind: 'temporary', code: 'source_unavailable' });
    expect(source.usage().requests).toBe(2);
  });

  it('an urgent request to a silent GitLab ends after ten seconds, and a refused one after one retry, also when runs may wait longer', async () => {
    const silent = await serve(() => undefined);
    const refusing = await serve((_, response) => void response.writeHead(503).end());
    const open = async (baseUrl: string, limits: { maxRetries?: number; requestTimeoutMs: number }) => {
      const { factory } = await openSource(baseUrl, limits);
      return factory.open({ baseUrl, credentialId: null }, signal(), { isUrgent: true });
    };
    const [quiet, busy] = await Promise.all([
      open(silent.url, { requestTimeoutMs: 3_600_000, maxRetries: 0 }),
      open(refusing.url, { requestTimeoutMs: 3_600_000, maxRetries: 5 }),
    ]);
    expect(await failureOf(head(busy))).toMatchObject({ code: 'source_unavailable' });
    expect(busy.usage().requests).toBe(2);
    expect(await failureOf(head(quiet))).toMatchObject({ code: 'source_unavailable' });
  });

  it('a body that stops ends at the time limit', async () => {
    const server = await serve((_, response) => {
      response.writeHead(200);
      response.write('{"commit"');
    });
    const { source } = await openSource(server.url, { requestTimeoutMs: 50, maxRetries: 0 });
    expect(await failureOf(head(source))).toMatchObject({ kind: 'temporary', code: 'source_unavailable' });
  });

  it('a body that arrives too slowly ends at the time limit', async () => {
    const server = await serve((_, response) => {
      const drip = setInterval(() => response.write(' '), 10);
      response.on('close', () => clearInterval(drip));
    });
    const { source } = await openSource(server.url, { requestTimeoutMs: 30, maxRetries: 0 });
    expect(await failureOf(head(source))).toMatchObject({
      code: 'source_unavailable',
      details: { reason: 'deadline' },
    });
  });

  it('a request ends at once when the caller aborts, and is not retried', async () => {
    const server = await serve(() => caller.abort(reason));
    const caller = new AbortController();
    const reason = new RepotideError('fence_lost', 'fence_lost', 'another attempt owns the run');
    const { source } = await openSource(server.url, { requestTimeoutMs: 60_000 });
    for (let calls = 0; calls < 2; calls++)
      expect(await failureOf(source.headOf(7, 'main', caller.signal))).toBe(reason);
    expect(server.seen).toHaveLength(1);
  });
});

describe('redirects', () => {
  it('redirects within the origin are followed with the token', async () => {
    const server = await serve((request, response) => {
      if (request.url?.includes('old') === true)
        response.writeHead(301, { location: '/api/v4/projects/7' }).end();
      else sendJson(response, PROJECT);
    });
    const { source } = await openSource(server.url);
    expect(await source.findProject('group/old', signal())).toMatchObject({ projectPath: 'group/project' });
    expect(server.seen[1]?.headers.authorization).toBe(`Bearer ${TOKEN}`);
    expect(source.usage().requests).toBe(2);
  });

  it('redirects to another origin are refused, and nothing is sent there', async () => {
    const elsewhere = await serve((_, response) => response.end('x'));
    const server = await serve((_, response) => {
      response.writeHead(302, { location: `${elsewhere.url}/bucket?signature=s3cret` }).end();
    });
    const { source } = await openSource(server.url);
    const failure = await failureOf(source.readBlob(7, SHA, 10, signal()));
    expect(failure).toMatchObject({ kind: 'invalid', code: 'source_redirect_refused' });
    expect(failure.message).toContain(elsewhere.url);
    expect(failure.message).not.toMatch(/s3cret|glpat/);
    expect(elsewhere.seen).toEqual([]);
  });

  it('endless redirects end with an error', async () => {
    const server = await serve((request, response) => {
      response.writeHead(302, { location: `${request.url}x` }).end();
    });
    const { source } = await openSource(server.url);
    expect(await failureOf(head(source))).toMatchObject({ code: 'source_answer_invalid' });
    expect(server.seen).toHaveLength(6);
  });
});

describe('blobs', () => {
  const big = Buffer.alloc(5 * 1024 * 1024, 1);

  it('a blob whose declared length exceeds the limit is not read', async () => {
    const server = await serve((_, response) => response.end(big));
    const { source } = await openSource(server.url);
    expect(await source.readBlob(7, SHA, 1000, signal())).toEqual({
      kind: 'too_large',
      sizeBytes: big.length,
    });
    expect(source.usage()).toEqual({ requests: 1, retries: 0, bytes: 0 });
  });

  it('a blob of unknown length is read up to the limit', async () => {
    const server = await serve((_, response) => {
      const pour = setInterval(() => response.write(big.subarray(0, 1000)), 1);
      response.on('close', () => clearInterval(pour));
    });
    const { source } = await openSource(server.url);
    expect(await source.readBlob(7, SHA, 1500, signal())).toEqual({ kind: 'too_large', sizeBytes: null });
    expect(source.usage().bytes).toBeGreaterThan(1500);
    expect(source.usage().bytes).toBeLessThan(big.length);
  });

  it('a blob of exactly the limit is read whole, and an empty blob is empty', async () => {
    const server = await serve((request, response) =>
      response.end(request.url?.includes(SHA) ? '12345' : ''),
    );
    const { source } = await openSource(server.url);
    expect(await source.readBlob(7, SHA, 5, signal())).toEqual({
      kind: 'bytes',
      bytes: Buffer.from('12345'),
    });
    const empty = await source.readBlob(7, 'e'.repeat(40), 5, signal());
    expect(empty).toEqual({ kind: 'bytes', bytes: Buffer.alloc(0) });
  });
});

describe('invalid responses', () => {
  it.each([
    ['a login page', '<html>Sign in</html>'],
    ['half a JSON document', '{"commit":{"id":"'],
    ['a short SHA', '{"commit":{"id":"abc123"}}'],
    ['a list', '[]'],
  ])('headOf rejects %s', async (_, body) => {
    const server = await serve((__, response) => response.end(body));
    const { source } = await openSource(server.url);
    const failure = await failureOf(head(source));
    expect(failure).toMatchObject({ kind: 'internal', code: 'source_answer_invalid' });
    expect(server.seen).toHaveLength(1);
  });

  it.each([
    ['an unknown type', [{ ...entry('a'), type: 'thing' }]],
    ['no path', [{ ...entry('a'), path: undefined }]],
    ['no SHA', [{ ...entry('a'), id: null }]],
    ['an object', { message: 'ok' }],
  ])('listTree rejects %s', async (_, body) => {
    const server = await serve((__, response) => sendJson(response, body));
    const { source } = await openSource(server.url);
    expect(await failureOf(listAll(source, 7, SHA))).toMatchObject({ code: 'source_answer_invalid' });
  });
});

describe('listing a tree', () => {
  const page = (from: number, count: number) =>
    Array.from({ length: count }, (_, index) => entry(`f${String(from + index).padStart(4, '0')}`));
  const link = (query: string) => ({ link: `<https://gitlab.internal/api/v4/x?${query}>; rel="next"` });
  const queryOf = (url: string) => new URL(url, 'http://h').search.slice(1);

  it('listTree uses the query of the server unchanged, with any host in the link', async () => {
    const next = `page_token=eyJh%2Bb%3D%3D&ref=${SHA}&recursive=true&id=7`;
    const server = await serve((_, response, seen) => {
      if (seen.length === 1) sendJson(response, page(0, 100), 200, link(next));
      else sendJson(response, page(100, 3));
    });
    const { source } = await openSource(server.url);
    expect(await listAll(source, 7, SHA)).toHaveLength(103);
    expect(queryOf(server.seen[0]?.url ?? '')).toBe(
      `per_page=100&ref=${SHA}&recursive=true&pagination=keyset`,
    );
    expect(queryOf(server.seen[1]?.url ?? '')).toBe(next);
  });

  it('listTree requests one more page after a full page without page headers', async () => {
    const server = await serve((_, response, seen) =>
      sendJson(response, seen.length === 1 ? page(0, 100) : []),
    );
    const { source } = await openSource(server.url);
    expect(await listAll(source, 7, SHA)).toHaveLength(100);
    expect(queryOf(server.seen[1]?.url ?? '')).toContain('page=2');
  });

  it.each([
    ['a proxy dropped the links', page(100, 1), {}, page(0, 100), {}],
    ['a page is listed twice', page(0, 100), link(`ref=${SHA}&t=2`), page(0, 100), link(`ref=${SHA}&t=1`)],
    ['an empty page has a next link', [], link(`ref=${SHA}&t=3`), page(0, 100), link(`ref=${SHA}&t=2`)],
    ['a link leads to another ref', page(100, 1), {}, page(0, 100), link('t=2')],
    ['a next page has no link', page(100, 1), {}, page(0, 100), { 'x-next-page': '2' }],
  ])('listTree throws when %s', async (_, second, secondHeaders, first, firstHeaders) => {
    const server = await serve((__, response, seen) => {
      if (seen.length === 1) sendJson(response, first, 200, firstHeaders);
      else sendJson(response, second, 200, secondHeaders);
    });
    const { source } = await openSource(server.url);
    expect(await failureOf(listAll(source, 7, SHA))).toMatchObject({ code: 'source_answer_invalid' });
  });

  it('listTree throws when a later page keeps failing', async () => {
    const server = await serve((_, response, seen) => {
      if (seen.length === 1) sendJson(response, page(0, 100), 200, link(`ref=${SHA}&t=2`));
      else response.writeHead(500).end();
    });
    const { source } = await openSource(server.url);
    expect(await failureOf(listAll(source, 7, SHA))).toMatchObject({
      kind: 'temporary',
      details: { status: 500 },
    });
  });

  it('listTree stops between pages when the caller aborts', async () => {
    const server = await serve((_, response, seen) =>
      sendJson(response, page(seen.length * 100, 100), 200, link(`ref=${SHA}&t=${seen.length}`)),
    );
    const { source } = await openSource(server.url);
    const caller = new AbortController();
    const reading = (async () => {
      for await (const entries of source.listTree(7, SHA, caller.signal)) {
        if (entries.length > 0 && server.seen.length === 2) caller.abort();
      }
    })();
    expect(await failureOf(reading)).toMatchObject({ kind: 'cancelled', code: 'cancelled' });
    expect(server.seen).toHaveLength(2);
  });
});
