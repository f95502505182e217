import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';

interface SeenRequest {
  url: string;
  headers: IncomingHttpHeaders;
}
export type Script = (request: IncomingMessage, response: ServerResponse, seen: SeenRequest[]) => void;

/** A server with scripted responses that a correct GitLab never sends. Records its requests. */
export interface ScriptedServer {
  url: string;
  seen: SeenRequest[];
  stop(): Promise<void>;
}

export async function startScriptedServer(script: Script): Promise<ScriptedServer> {
  const seen: SeenRequest[] = [];
  const server = createServer((request, response) => {
    seen.push({ url: request.url ?? '', headers: request.headers });
    script(request, response, seen);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export function sendJson(response: ServerResponse, json: unknown, status = 200, headers = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(json));
}
