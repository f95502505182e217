import { type CallToolResult, type ListToolsResult, Server } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { RepotideError } from '@core/domain';

/** The last revision whose requests need no other headers. */
const PROTOCOL_VERSION = '2025-06-18';
const TIMEOUT_MS = 60_000;

interface Greeting {
  serverInfo: { name: string; version: string };
  instructions?: string;
}

type Forward = <Result>(method: string, params: object | undefined) => Promise<Result>;

/**
 * Serves the tools of a running service over standard input and output, until the input ends.
 * @throws when the service does not answer or refuses the token: an agent shows it at its start.
 */
export async function connectToService(url: URL, token: string): Promise<void> {
  const forward = forwarder(new URL(`${url.pathname.replace(/\/$/, '')}/mcp`, url), token);
  const { serverInfo, instructions } = await forward<Greeting>('initialize', {
    protocolVersion: PROTOCOL_VERSION,
    capabilities: {},
    clientInfo: { name: 'repotide-mcp', version: '1' },
  });
  serveStdio(() => {
    const server = new Server(serverInfo, {
      capabilities: { tools: {} },
      ...(instructions && { instructions }),
    });
    server.setRequestHandler('tools/list', ({ params }) => forward<ListToolsResult>('tools/list', params));
    server.setRequestHandler('tools/call', async ({ params: { name, arguments: given } }) => {
      try {
        return await forward<CallToolResult>('tools/call', { name, arguments: given ?? {} });
      } catch (error) {
        return { content: [{ type: 'text', text: (error as Error).message }], isError: true };
      }
    });
    return server;
  });
}

function forwarder(address: URL, token: string): Forward {
  let id = 0;
  return async <Result>(method: string, params: object | undefined): Promise<Result> => {
    id += 1;
    const answer = await request(address, token, { jsonrpc: '2.0', id, method, params });
    if (!answer.ok) throw await refusal(answer, address);
    const { result, error } = messageIn(await answer.text(), answer.headers.get('content-type'));
    if (error) throw new RepotideError('temporary', 'service_refused', error.message);
    return result as Result;
  };
}

async function request(address: URL, token: string, message: object): Promise<Response> {
  try {
    return await fetch(address, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${token}`,
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
        'MCP-Protocol-Version': PROTOCOL_VERSION,
      },
      body: JSON.stringify(message),
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
  } catch (cause) {
    const message = `No answer from ${address.origin}. Check REPOTIDE_URL and that the service runs.`;
    throw new RepotideError('temporary', 'service_unavailable', message, { cause });
  }
}

async function refusal(answer: Response, address: URL): Promise<RepotideError> {
  if (answer.status === 401) {
    const message = `${address.origin} does not accept REPOTIDE_TOKEN. Create a token with the role viewer, and set it.`;
    return new RepotideError('unauthorized', 'token_rejected', message);
  }
  const problem = (await answer.json().catch(() => ({}))) as { detail?: string };
  const detail = problem.detail ?? `${address.href} is not a Repotide service: check REPOTIDE_URL.`;
  return new RepotideError(
    'temporary',
    'service_refused',
    `The service answered ${answer.status}: ${detail}`,
  );
}

/** The one message of an answer, which comes as JSON or as an event. */
function messageIn(body: string, type: string | null): { result?: unknown; error?: { message: string } } {
  const data = type?.startsWith('text/event-stream')
    ? body
        .split('\n')
        .find((line) => line.startsWith('data: {'))
        ?.slice('data: '.length)
    : body;
  return JSON.parse(data ?? '{}') as { result?: unknown; error?: { message: string } };
}
