import { randomUUIDv7 } from 'node:crypto';
import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { type ProblemCode, ServiceError } from '@widget-service/shared/domain/errors.ts';
import type { Logger } from '@widget-service/shared/runtime/logger.ts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { buildProblem, InputError, type Refusal, sendProblem, statusForCode } from './problem.ts';
import { securityHeaders, setCommonHeaders } from './request-screening.ts';

/** Fastify's own refusals. Their texts are not passed on: some of them quote the address. */
const codeByFrameworkCode: Readonly<Record<string, ProblemCode>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'payload-too-large',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported-media-type',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'malformed-request',
  FST_ERR_BAD_URL: 'malformed-request',
  FST_ERR_MAX_PARAM_LENGTH: 'uri-too-long',
  // The connection broke while the body was read: nobody hears the answer.
  ECONNRESET: 'malformed-request',
};

/** Turns whatever a route throws into a problem. */
export function registerErrorHandler(app: FastifyInstance): void {
  app.setErrorHandler((error, request, reply) => {
    const refusal = toRefusal(error);
    if (statusForCode(refusal.code) >= 500) request.failure = error instanceof Error ? error : new Error(String(error));
    return sendProblem(reply, refusal);
  });
}

/** Answers what fastify refuses before it has found a route: an address that cannot be decoded. */
export function answerFrameworkError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  setCommonHeaders(request, reply);
  sendProblem(reply, toRefusal(error));
  // No hook of ours runs for such a request, the one that writes the log line neither.
  const line = { requestId: request.id, method: request.method, route: 'unmatched', status: reply.statusCode };
  request.log.info({ ...line, code: request.problemCode }, 'request');
}

function toRefusal(error: unknown): Refusal {
  if (error instanceof InputError) return { code: error.code, detail: error.message, errors: error.errors };
  if (error instanceof ServiceError) return { code: error.code, detail: error.message };
  const { code } = error as { code?: unknown };
  return { code: (typeof code === 'string' ? codeByFrameworkCode[code] : undefined) ?? 'internal' };
}

const codeByParserCode: Readonly<Record<string, ProblemCode>> = {
  HPE_HEADER_OVERFLOW: 'headers-too-large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'headers-too-large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request-timeout',
};

type SocketWithResponse = Socket & { readonly _httpMessage?: ServerResponse | null };

/**
 * Answers what Node's parser refuses, on the bare socket, and closes it. Only the parser's code is logged: the error
 * itself holds the bytes that were sent, a token among them.
 */
export function answerParserError(error: NodeJS.ErrnoException, socket: Socket, logger: Logger): void {
  const current = (socket as SocketWithResponse)._httpMessage;
  // One of whom nothing was read has asked for nothing, or this process was too busy to listen to it: a refusal would
  // close a browser's EventSource for good, while a connection that breaks makes it come back.
  const isUnheard = error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && socket.bytesRead === 0;
  if (error.code === 'ECONNRESET' || isUnheard || !socket.writable || current?.headersSent === true) {
    socket.destroy();
    return;
  }
  if (current?.req.complete === true) {
    // What cannot be read came behind a whole request that is still worked on: its own answer goes out, as the last.
    current.setHeader('connection', 'close');
    logger.info({ code: 'malformed-request', cause: error.code }, 'request.unreadable');
    return;
  }
  const requestId = randomUUIDv7();
  const code = codeByParserCode[error.code ?? ''] ?? 'malformed-request';
  logger.info({ requestId, code, cause: error.code }, 'request.unreadable');
  const { status, headers, body } = rawProblem(code, requestId);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`);
}

/** Answers an `Expect` header that asks for anything but `100-continue`. */
export function answerExpectation(response: ServerResponse, logger: Logger): void {
  const requestId = randomUUIDv7();
  const { status, headers, body } = rawProblem('expectation-failed', requestId);
  logger.info({ requestId, code: 'expectation-failed' }, 'request.unreadable');
  response.writeHead(status, headers).end(body);
}

function rawProblem(code: ProblemCode, requestId: string) {
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
