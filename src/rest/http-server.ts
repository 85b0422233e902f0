import { IncomingMessage, type RequestListener, type Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Response } from 'express';
import { AppError, toPublicError } from '../core/errors.js';
import { closesBefore } from './drain.js';
import { newRequestId } from './request-context.js';
import { answerError } from './response.js';

/** For `createServer`: what `serveRequests` answers itself, since Node's answers have no body and no request id. */
export const ownAnswers = { requireHostHeader: false };

/**
 * Lets the app answer a server's requests, and answers in the same form what is too malformed to become one.
 */
export function serveRequests(server: Server, answer: RequestListener, headers: string[]): void {
  // Node drops what comes behind the thousandth, be it a token or a key, and says nothing. Their 16 KB bound them.
  server.maxHeadersCount = 0;
  server.on('request', (request, response) => {
    if (closesBefore(server, request, response)) return;
    request.url = pathOf(request.url!);
    const hasHost = request.headers.host !== undefined || request.httpVersion === '1.0';
    if (hasHost) answer(request, response);
    else refuse(response, new AppError('invalid_request', 'The Host header is missing.'), headers);
  });
  server.on('checkExpectation', (_request, response) => {
    refuse(response, new AppError('expectation_failed', 'Only "100-continue" can be expected.'), headers);
  });
  // Node closes the connection without a word, and with a listener leaves its faults to us.
  server.on('connect', (_request, socket: Socket) => {
    socket.on('error', () => socket.destroy());
    refuseConnection(socket, new AppError('method_not_allowed', 'CONNECT is not offered: this is no proxy.'), [...headers, 'Allow', '']);
  });
  // Node tells of each further piece of what it cannot read.
  const refused = new WeakSet<Socket>();
  server.on('clientError', (error: NodeJS.ErrnoException, socket: RequestSocket) => {
    if (refused.has(socket)) return;
    refused.add(socket);
    refuseConnection(socket, fromParser(error), headers);
  });
}

/**
 * What a request asks for. It may be a whole address, as proxies are sent (RFC 9112, 3.2.2), of which only the path matters here. Its
 * readers do not agree about what is before that: Express finds no path behind `http://[x`, and URL none behind `http://x:99999`.
 */
function pathOf(target: string): string {
  if (target.startsWith('/')) return target;
  const path = target.replace(/^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i, '');
  return path === '' || path.startsWith('?') ? `/${path}` : path;
}

/** Answers complete requests first, whose effects are done: who heard of the bytes behind them instead would lose a token for good. */
function refuseConnection(socket: RequestSocket, error: AppError, headers: string[]): void {
  const underWay = socket._httpMessage;
  // Bytes of this answer within another one that is under way would be worse than none.
  if (!socket.writable || (underWay?.headersSent && !underWay.req.complete)) socket.destroy();
  else if (underWay?.req.complete) underWay.once('finish', () => refuseConnection(socket, error, headers));
  else {
    const response = underWay ?? answerOn(socket);
    closeAfter(response, socket);
    refuse(response, error, headers);
  }
}

/** Node keeps the answer to a connection's present request here, which has no public name. */
type RequestSocket = Socket & { _httpMessage?: ServerResponse | null };

function answerOn(socket: Socket): ServerResponse {
  const response = new ServerResponse(new IncomingMessage(socket));
  response.assignSocket(socket);
  return response;
}

/** Closes the connection after an answer, also to whoever still reads the body: Node forgets a request that is answered. */
export function closeAfter(response: ServerResponse, socket: Socket): void {
  response.once('finish', () => {
    response.req.destroy();
    socket.destroy();
  });
}

function refuse(response: ServerResponse, error: AppError, headers: string[]): void {
  response.setHeader('Connection', 'close');
  answerError(toPublicError(error), Object.assign(response, { locals: { requestId: newRequestId() } }) as unknown as Response, headers);
}

function fromParser({ code }: NodeJS.ErrnoException): AppError {
  if (code === 'HPE_HEADER_OVERFLOW') return new AppError('headers_too_large', 'Path and headers are longer than 16 KB.');
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') return new AppError('payload_too_large', 'The chunk extensions are too large.');
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new AppError('request_timeout', 'The headers took too long to arrive.');
  return new AppError('invalid_request', 'This is not a valid HTTP request.');
}
