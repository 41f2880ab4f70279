import { randomUUIDv7 } from 'node:crypto';
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { type ProblemCode, ServiceError } from '@widget-service/shared/domain/errors.ts';
import type { Logger } from '@widget-service/shared/runtime/logger.ts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { buildProblem, InputError, type Problem, type Refusal, sendProblem } from './problem.ts';
import { setCommonHeaders } from './request-screening.ts';
import { securityHeaders } from './security-headers.ts';

/** Codes of Fastify's own errors (statuses: `problemKinds`). Their messages are not sent: some quote the address. */
const codeByFrameworkCode: Readonly<Record<string, ProblemCode>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'payload-too-large',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported-media-type',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'malformed-request',
  FST_ERR_BAD_URL: 'malformed-request',
  FST_ERR_MAX_PARAM_LENGTH: 'uri-too-long',
  // The connection broke while the body was read. No client receives this response.
  ECONNRESET: 'malformed-request',
};

/**
 * Converts every error that a route or a Fastify hook throws into a problem. Unknown errors become `internal`. The
 * error behind a 5xx response is kept for the log line (`request.failure`).
 */
export function registerErrorHandler(app: FastifyInstance): void {
  app.setErrorHandler((error, request, reply) => {
    recordProblem(error, request);
    return sendProblem(reply, describeLimit(toRefusal(error), request));
  });
}

/** Records why a request failed, for its log line and its audit event. Returns the problem. */
export function recordProblem(error: unknown, request: FastifyRequest): Problem {
  const problem = buildProblem(describeLimit(toRefusal(error), request), request.id);
  if (problem.status >= 500) request.failure = error instanceof Error ? error : new Error(String(error));
  request.problem = problem;
  return problem;
}

/** Responds to errors that Fastify raises before it has found a route, such as an address that cannot be decoded. */
export function answerFrameworkError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  setCommonHeaders(request, reply);
  sendProblem(reply, toRefusal(error));
  // No Fastify hook runs for such a request, so the log line is written here.
  const line = { requestId: request.id, method: request.method, route: 'unmatched', status: reply.statusCode };
  request.log.info({ ...line, code: request.problem?.code }, 'request');
}

/** Says which limit of bytes a body is above. An error that has its own text says it already. */
function describeLimit(refusal: Refusal, request: FastifyRequest): Refusal {
  if (refusal.code !== 'payload-too-large' || refusal.detail !== undefined) return refusal;
  const { bodyLimit, config } = request.routeOptions;
  return { ...refusal, detail: describeBodyLimit(bodyLimit, config.policy === 'hook-token') };
}

/** What a sender reads that has sent a body of more bytes. The operator can raise the limit of hooks. */
export function describeBodyLimit(bytes: number, isOfHooks: boolean): string {
  return `The body is larger than ${bytes} bytes, the limit of ${isOfHooks ? 'hooks (BODY_LIMIT_BYTES)' : 'this request'}.`;
}

function toRefusal(error: unknown): Refusal {
  if (error instanceof InputError) return { code: error.code, detail: error.message, errors: error.errors };
  if (error instanceof ServiceError) return { code: error.code, detail: error.message };
  const { code } = error as { code?: unknown };
  return { code: (typeof code === 'string' ? codeByFrameworkCode[code] : undefined) ?? 'internal' };
}

const codeByClientErrorCode: Readonly<Record<string, ProblemCode>> = {
  HPE_HEADER_OVERFLOW: 'headers-too-large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'headers-too-large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request-timeout',
};

/** Node keeps the response in progress, and the request that is being read, here. There is no public way to them. */
export type SocketWithResponse = Socket & {
  readonly _httpMessage?: ServerResponse | null;
  readonly parser?: { readonly incoming?: IncomingMessage | null } | null;
};

/**
 * Ends a connection after a parser error or a timeout (Node's `clientError`):
 * - It destroys the socket if no client could read an answer, if a response has already begun (such as a stream), or if
 *   the connection timed out before anything was read from it.
 * - It lets a complete request that has no response yet finish. That response closes the connection.
 * - It sends nothing more if the request is already answered, for example before its body had arrived: a proxy would
 *   take a second answer for the answer to its next request.
 * - Otherwise it writes a problem and closes the socket.
 *
 * Only the error code is logged: the error holds the raw bytes, which may contain a token.
 */
export function answerClientError(error: NodeJS.ErrnoException, socket: Socket, logger: Logger): void {
  const current = (socket as SocketWithResponse)._httpMessage;
  // Nothing was read from this connection: the client sent nothing, or this process was too busy. An HTTP error would
  // end a browser's EventSource for good; after a broken connection it reconnects.
  const isUnread = error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && socket.bytesRead === 0;
  if (error.code === 'ECONNRESET' || isUnread || !socket.writable || current?.headersSent === true) {
    socket.destroy();
    return;
  }
  if (current?.req.complete === true) {
    // The bad bytes follow a complete request that is still in progress. Its response is the last on this connection.
    current.setHeader('connection', 'close');
    // No request id: the request's own log line has it.
    logger.info({ code: 'malformed-request', cause: error.code }, 'request.unreadable');
    return;
  }
  const hasNoResponse = (current ?? null) === null;
  if (hasNoResponse && isPartlyRead(socket)) {
    logger.info({ code: 'malformed-request', cause: error.code }, 'request.unreadable');
    socket.destroySoon();
    return;
  }
  const requestId = randomUUIDv7();
  const code = codeByClientErrorCode[error.code ?? ''] ?? 'malformed-request';
  logger.info({ requestId, code, cause: error.code }, 'request.unreadable');
  const { status, headers, body } = buildRawProblem(code, requestId);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`);
}

function isPartlyRead({ parser }: SocketWithResponse): boolean {
  return parser?.incoming?.complete === false;
}

/** Rejects a request whose `Expect` header is anything but `100-continue` (RFC 9110, section 10.1.1). */
export function answerExpectation(response: ServerResponse, logger: Logger): void {
  const requestId = randomUUIDv7();
  const { status, headers, body } = buildRawProblem('expectation-failed', requestId);
  logger.info({ requestId, code: 'expectation-failed' }, 'request.unreadable');
  response.writeHead(status, headers).end(body);
}

function buildRawProblem(code: ProblemCode, requestId: string) {
  const problem = buildProblem({ code }, requestId);
  const body = JSON.stringify(problem);
  const headers = {
    ...securityHeaders,
    'x-request-id': requestId,
    'content-type': 'application/problem+json',
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
  };
  return { status: problem.status, headers, body };
}
