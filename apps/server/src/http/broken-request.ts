import { randomUUID } from 'node:crypto';
import { type Server } from 'node:http';
import { type Duplex } from 'node:stream';
import { problem, PROBLEM_MEDIA_TYPE } from './problem.js';

/** Answers by the error codes of Node's HTTP parser. All other codes get a 400. */
const REFUSALS: Readonly<Record<string, { status: number; code: string; detail: string }>> = {
  HPE_HEADER_OVERFLOW: {
    status: 431,
    code: 'headers_too_large',
    detail: 'The path and headers of a request may have 16 KiB together.',
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: 408,
    code: 'request_timeout',
    detail: 'The request did not arrive in time.',
  },
};
const MALFORMED = { status: 400, code: 'malformed_request', detail: 'This is not HTTP/1.1.' };

/** An error with the bytes that the parser refused. */
type ParserError = NodeJS.ErrnoException & { rawPacket?: Buffer };

/** Sends problem details for input that Node cannot parse as a request. Call it before the server listens. */
export function answerBrokenRequests(server: Server): void {
  server.on('clientError', (error: ParserError, socket: Duplex & { bytesWritten?: number }) => {
    // After an answer has started, the client would read further bytes as a part of it.
    if (error.code === 'ECONNRESET' || !socket.writable || socket.bytesWritten !== 0) socket.destroy();
    else socket.end(answerTo(error));
  });
  // Ignores an unknown `Expect` header, for which Node would send a 417 without problem details.
  server.on('checkExpectation', (request, response) => void server.emit('request', request, response));
}

function answerTo(error: ParserError): string {
  const { status, code, detail } = REFUSALS[error.code ?? ''] ?? MALFORMED;
  const answer = problem(status, code, detail, { request_id: randomUUID() });
  const body = JSON.stringify(answer);
  return [
    `HTTP/1.1 ${status} ${answer.title}`,
    `Content-Type: ${PROBLEM_MEDIA_TYPE}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
    '',
    isHead(error) ? '' : body,
  ].join('\r\n');
}

/** The answer to HEAD has no body: the client would read a body as the next answer. */
function isHead({ rawPacket }: ParserError): boolean {
  return rawPacket?.subarray(0, 'HEAD '.length).toString('latin1') === 'HEAD ';
}
