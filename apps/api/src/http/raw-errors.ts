import { randomUUIDv7 } from 'node:crypto';
import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { ProblemCode } from '@widget-service/shared/domain/errors.ts';
import type { Logger } from '@widget-service/shared/runtime/logger.ts';
import { problemOf } from './problem.ts';
import { securityHeaders } from './security-headers.ts';

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
  const problem = problemOf({ code }, requestId);
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
