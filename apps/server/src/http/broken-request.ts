import { randomUUID } from 'node:crypto';
import { type Server, STATUS_CODES } from 'node:http';
import { type Duplex } from 'node:stream';
import { PROBLEM_MEDIA_TYPE } from './problem.js';

/** What Node's parser refuses, by its codes; everything else is a 400. */
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

/** With the bytes that the parser refused. */
type ParserError = NodeJS.ErrnoException & { rawPacket?: Buffer };

/** Answers what never becomes a request, too, as problem details. Call before the server listens. */
export function answerBrokenRequests(server: Server): void {
  server.on('clientError', (error: ParserError, socket: Duplex & { bytesWritten?: number }) => {
    // After an answer, more bytes would be taken for a part of it.
    if (error.code === 'ECONNRESET' || !socket.writable || socket.bytesWritten !== 0) socket.destroy();
    else socket.end(answerTo(error));
  });
  // A client that expects what nobody knows gets its answer all the same, instead of a bare 417.
  server.on('checkExpectation', (request, response) => void server.emit('request', request, response));
}

function answerTo(error: ParserError): string {
  const { status, code, detail } = REFUSALS[error.code ?? ''] ?? MALFORMED;
  const title = STATUS_CODES[status] ?? 'Error';
  const type = `urn:repotide:problem:${code}`;
  const body = JSON.stringify({ type, title, status, detail, code, request_id: randomUUID() });
  return [
    `HTTP/1.1 ${status} ${title}`,
    `Content-Type: ${PROBLEM_MEDIA_TYPE}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
    '',
    isHead(error) ? '' : body,
  ].join('\r\n');
}

/** Its answer has no body: what came after the headers would be taken for another answer. */
function isHead({ rawPacket }: ParserError): boolean {
  return rawPacket?.subarray(0, 'HEAD '.length).toString('latin1') === 'HEAD ';
}
