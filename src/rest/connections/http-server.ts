import { IncomingMessage, type RequestListener, type Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Express, Response } from 'express';
import { AppError } from '../../core/errors.js';
import { newRequestId } from '../request-context.js';
import { answerError } from '../response.js';
import { closesBefore } from './drain.js';

/** For `createServer`: `serveRequests` checks the Host header, since Node's own answer has no body and no request id. */
export const httpServerOptions = { requireHostHeader: false };

/** Passes a server's requests to the app, and answers what is too malformed to become a request in the same form. */
export function serveRequests(server: Server, answer: RequestListener, headers: string[]): void {
  // By default Node silently drops headers after the thousandth, which may be a token or a key. The limit of 16 KB is enough.
  server.maxHeadersCount = 0;
  server.on('request', (request, response) => {
    if (closesBefore(server, request, response)) return;
    request.url = pathOf(request.url!);
    const hosts = countHosts(request.rawHeaders);
    if (hosts === 1 || (hosts === 0 && request.httpVersion === '1.0')) answer(request, response);
    else refuse(response, new AppError('invalid_request', 'There must be one Host header.'), headers);
  });
  server.on('checkExpectation', (_request, response) => {
    refuse(response, new AppError('expectation_failed', 'Only "100-continue" can be expected.'), headers);
  });
  // Without a listener Node closes the connection silently; with one, we must handle the socket's errors.
  server.on('connect', (_request, socket: Socket) => {
    socket.on('error', () => socket.destroy());
    refuseConnection(socket, new AppError('method_not_allowed', 'CONNECT is not offered: this is no proxy.'), [...headers, 'Allow', '']);
  });
  // Node emits clientError again for each further piece that it cannot parse.
  const refused = new WeakSet<Socket>();
  server.on('clientError', (error: NodeJS.ErrnoException, socket: RequestSocket) => {
    if (refused.has(socket)) return;
    refused.add(socket);
    refuseConnection(socket, fromParser(error), headers);
  });
}

/** RFC 9112, 3.2 refuses several: Node takes the first, a proxy perhaps the last. @param headers names and values in turn */
function countHosts(headers: string[]): number {
  let count = 0;
  for (let i = 0; i < headers.length; i += 2) if (headers[i]!.length === 4 && headers[i]!.toLowerCase() === 'host') count++;
  return count;
}

/**
 * The path of a request's target, which may be an absolute URL, as sent to proxies (RFC 9112, 3.2.2). Parsers disagree about the part
 * before the path: Express finds no path in `http://[x/…`, and URL none in `http://x:99999/…`.
 */
function pathOf(target: string): string {
  if (target.startsWith('/')) return target;
  const path = target.replace(/^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i, '');
  return path === '' || path.startsWith('?') ? `/${path}` : path;
}

/** Answers complete requests first, since their effects are done: an error in their place could lose a new token for good. */
function refuseConnection(socket: RequestSocket, error: AppError, headers: string[]): void {
  const underWay = socket._httpMessage;
  // Never mix this response into another one that has begun.
  if (!socket.writable || (underWay?.headersSent && !underWay.req.complete)) socket.destroy();
  else if (underWay?.req.complete) underWay.once('finish', () => refuseConnection(socket, error, headers));
  else {
    const response = underWay ?? answerOn(socket);
    closeAfter(response, socket);
    refuse(response, error, headers);
  }
}

/** Node keeps the response to the current request of a connection here; there is no public name. */
type RequestSocket = Socket & { _httpMessage?: ServerResponse | null };

function answerOn(socket: Socket): ServerResponse {
  const response = new ServerResponse(new IncomingMessage(socket));
  response.assignSocket(socket);
  return response;
}

/** Closes the connection after a response, and destroys the request for code that still reads its body. */
export function closeAfter(response: ServerResponse, socket: Socket): void {
  response.once('finish', () => {
    response.req.destroy();
    socket.destroy();
  });
}

function refuse(response: ServerResponse, error: AppError, headers: string[]): void {
  response.setHeader('Connection', 'close');
  answerError(error, Object.assign(response, { locals: { requestId: newRequestId() } }) as unknown as Response, headers);
}

function fromParser({ code }: NodeJS.ErrnoException): AppError {
  if (code === 'HPE_HEADER_OVERFLOW') return new AppError('headers_too_large', 'Path and headers are longer than 16 KB.');
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') return new AppError('payload_too_large', 'The chunk extensions are too large.');
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new AppError('request_timeout', 'The headers took too long to arrive.');
  return new AppError('invalid_request', 'This is not a valid HTTP request.');
}

/**
 * For `createServer`: request and response classes that have Express' prototypes from the start, once they have joined an app. Express would
 * change each object's prototype, after which V8 looks up every property anew: 70 µs of 95 for the smallest answer (2 cores, Node 20). They are
 * classes, not functions that call Node's, since V8 then lays out each object once: 1 µs less.
 */
export function expressClasses() {
  class ExpressRequest extends IncomingMessage {}
  class ExpressResponse extends ServerResponse {}
  const join = (app: Express): void => {
    app.request = Object.setPrototypeOf(ExpressRequest.prototype, app.request);
    app.response = Object.setPrototypeOf(ExpressResponse.prototype, app.response);
  };
  return { IncomingMessage: ExpressRequest, ServerResponse: ExpressResponse as typeof ServerResponse, join };
}
