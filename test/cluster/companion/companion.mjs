// Runs in a pod of the cluster, on the product's image: a git server, a relay to the service, and a source of load. The test
// reaches it through the API server, so that all requests to the service come from inside the cluster, through its Service.
import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { createServer, request as requestOf } from 'node:http';
import { buffer, text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';

const { SERVICE_URL, GIT_FOLDER, PORT } = process.env;
const GIT_ENVIRONMENT = {
  PATH: process.env.PATH,
  HOME: GIT_FOLDER,
  GIT_AUTHOR_NAME: 'Cluster test',
  GIT_AUTHOR_EMAIL: 'cluster-test@example.com',
  GIT_COMMITTER_NAME: 'Cluster test',
  GIT_COMMITTER_EMAIL: 'cluster-test@example.com',
};
const PATH_OF_REPOSITORY = /^\/git\/project\.git\/(info\/refs|git-upload-pack)$/;

/** Requests for objects wait for it, so that a run stays unfinished for as long as the test needs. */
let held = { released: Promise.resolve(), release: () => undefined };
let load = null;

function git(args, { protocol, input } = {}) {
  const child = spawn('git', args, {
    cwd: GIT_FOLDER,
    env: { ...GIT_ENVIRONMENT, ...(protocol && { GIT_PROTOCOL: protocol }) },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdin.on('error', () => undefined);
  if (input === undefined) child.stdin.end();
  else child.stdin.end(input);
  return child;
}

async function gitOutput(args, input) {
  const child = git(args, { input });
  const ended = new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  const output = (await text(child.stdout)).trim();
  const code = await ended;
  if (code !== 0) throw new Error(`git ${args[0]} ended with ${code}`);
  return output;
}

/** Commits these files, in the root folder, beside those of the former commit. */
async function commit(files) {
  const former = (await gitOutput(['for-each-ref', '--format=%(objectname)', 'refs/heads/main'])) || null;
  const kept = former === null ? '' : await gitOutput(['ls-tree', former]);
  const lines = kept.split('\n').filter((line) => line && !(line.split('\t')[1] in files));
  for (const [name, content] of Object.entries(files))
    lines.push(`100644 blob ${await gitOutput(['hash-object', '-w', '--stdin'], content)}\t${name}`);
  const tree = await gitOutput(['mktree'], `${lines.join('\n')}\n`);
  const parents = former === null ? [] : ['-p', former];
  const id = await gitOutput(['commit-tree', tree, ...parents, '-m', 'Files of the test']);
  await gitOutput(['update-ref', 'refs/heads/main', id]);
  return { commit: id };
}

async function serveGit(request, response, service) {
  const protocol = String(request.headers['git-protocol'] ?? '');
  const options = ['-c', 'uploadpack.allowFilter=true', '-c', 'uploadpack.allowAnySHA1InWant=true'];
  const command = [...options, 'upload-pack', '--stateless-rpc'];
  const isListing = service === 'info/refs';
  if (!isListing) await held.released;
  const type = isListing ? 'advertisement' : 'result';
  response.writeHead(200, {
    'content-type': `application/x-git-upload-pack-${type}`,
    'cache-control': 'no-cache',
  });
  // Version 2 of the protocol has no line with the name of the service.
  if (isListing && !protocol.includes('version=2')) response.write('001e# service=git-upload-pack\n0000');
  const body = request.headers['content-encoding'] === 'gzip' ? request.pipe(createGunzip()) : request;
  const child = git(isListing ? [...command, '--advertise-refs', '.'] : [...command, '.'], {
    protocol,
    input: await buffer(body),
  });
  await pipeline(child.stdout, response);
}

function hold() {
  let release;
  const released = new Promise((resolve) => (release = resolve));
  held = { released, release };
  return { held: true };
}

/** Clients that request the path without a pause between answers, but for `pauseMs`. */
function startLoad({ path, token, clients, pauseMs }) {
  const state = { requests: 0, failures: [], isOver: false, done: null };
  const client = async () => {
    while (!state.isOver) {
      const at = new Date().toISOString();
      state.requests++;
      try {
        const response = await fetch(`${SERVICE_URL}${path}`, {
          headers: { authorization: `Bearer ${token}` },
          signal: AbortSignal.timeout(30_000),
        });
        await response.arrayBuffer();
        if (!response.ok) state.failures.push(`${at} status ${response.status}`);
      } catch (error) {
        state.failures.push(
          `${at} ${error.message} ${error.cause?.code ?? error.cause?.message ?? ''}`.trim(),
        );
      }
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  };
  state.done = Promise.all(Array.from({ length: clients }, client));
  load = state;
  return { started: true };
}

async function stopLoad() {
  if (load === null) return { requests: 0, failures: [] };
  const { done } = load;
  load.isOver = true;
  await done;
  const { requests, failures } = load;
  load = null;
  return { requests, failures };
}

/** On a connection of its own each time: a kept one to a pod that was killed would be silent for long. */
async function relay(request, response, path) {
  const body = await buffer(request);
  const { authorization = '' } = request.headers;
  const headers = { authorization, ...(body.length > 0 && { 'content-type': 'application/json' }) };
  const options = {
    method: request.method,
    headers,
    agent: false,
    timeout: request.method === 'GET' ? 3_000 : 30_000,
  };
  const answer = await new Promise((resolve, reject) => {
    const sent = requestOf(`${SERVICE_URL}${path}`, options, resolve);
    sent.once('timeout', () => sent.destroy(new Error('The service did not answer in time.')));
    sent.once('error', reject);
    sent.end(body);
  });
  response.writeHead(answer.statusCode, { 'content-type': answer.headers['content-type'] ?? 'text/plain' });
  await pipeline(answer, response);
}

const COMMANDS = {
  '/commit': commit,
  '/hold': hold,
  '/release': () => (held.release(), { held: false }),
  '/load': startLoad,
  '/load/stop': stopLoad,
};

async function answer(request, response) {
  const { pathname, search } = new URL(request.url, 'http://companion');
  const [, service] = PATH_OF_REPOSITORY.exec(pathname) ?? [];
  if (service) return serveGit(request, response, service);
  if (pathname.startsWith('/service/'))
    return relay(request, response, pathname.slice('/service'.length) + search);
  const command = COMMANDS[pathname];
  if (!command && pathname !== '/ready') return response.writeHead(404).end();
  const input = await text(request);
  const result = command ? await command(input === '' ? {} : JSON.parse(input)) : { ready: true };
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(result));
}

// In a folder of its own: git refuses one that belongs to another user, as a volume does.
mkdirSync(GIT_FOLDER, { recursive: true });
await gitOutput(['init', '--quiet', '--bare', '--initial-branch=main', '.']);
createServer((request, response) => {
  answer(request, response).catch((error) => {
    console.error(error);
    if (response.headersSent) response.destroy();
    else
      response
        .writeHead(502, { 'content-type': 'text/plain' })
        .end(`${error.message} ${error.cause?.message ?? ''}`);
  });
}).listen(Number(PORT), '0.0.0.0');
for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => process.exit(0));
