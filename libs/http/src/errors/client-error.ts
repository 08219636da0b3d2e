import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { DomainError } from '#kernel';
import { PROBLEM_JSON } from './problem-filter.js';
import { problemOf } from './problem.js';

const UNREADABLE = new DomainError('malformed_request', 400, 'This is not an HTTP request that can be read.');
const REFUSALS: Readonly<Record<string, DomainError>> = {
  HPE_HEADER_OVERFLOW: new DomainError('headers_too_large', 431, 'The headers of the request are too large.'),
  ERR_HTTP_REQUEST_TIMEOUT: new DomainError('request_timeout', 408, 'The request did not arrive whole in time.'),
};

/** What Node's HTTP parser refuses before there is a request: no hook, filter or route ever sees it. */
export function answerClientError(error: Error & { readonly code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  if (socket.writable) socket.end(responseOf(REFUSALS[error.code ?? ''] ?? UNREADABLE), () => socket.destroy());
  else socket.destroy();
}

function responseOf(refusal: DomainError): string {
  const requestId = randomUUID();
  const body = JSON.stringify(problemOf(refusal, { path: '/', requestId }));
  return [
    `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}`,
    `content-type: ${PROBLEM_JSON}; charset=utf-8`,
    `content-length: ${Buffer.byteLength(body)}`,
    `x-request-id: ${requestId}`,
    'cache-control: no-store',
    'x-content-type-options: nosniff',
    'connection: close',
    '',
    body,
  ].join('\r\n');
}
