import { randomUUIDv7 } from 'node:crypto';
import type { Server, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Settings } from '@widget-service/shared/config/settings.ts';
import { listenFurther } from '@widget-service/shared/runtime/listen-addresses.ts';
import type { Logger } from '@widget-service/shared/runtime/logger.ts';
import { type FastifyBaseLogger, type FastifyInstance, fastify, LogController } from 'fastify';
import {
  answerClientError,
  answerExpectation,
  answerFrameworkError,
  type SocketWithResponse,
} from './answer-failure.ts';
import { toTrustProxy } from './forwarding.ts';
import { normalizeTarget } from './request-screening.ts';

/**
 * Limits of a connection, so that a slow or silent client cannot hold it: times in milliseconds, sizes in bytes.
 *
 * @internal Exported for its test.
 */
export const connectionLimits = {
  /** From the first byte of a request to its last; for the first request, from the opening of the connection. */
  requestTimeout: 30_000,
  /** Longer than the 60 s after which proxies commonly close an idle connection, so that the proxy closes it first. */
  keepAliveTimeout: 72_000,
  /**
   * How long the socket may transfer no byte in either direction while a request is in progress: ends responses that
   * the client does not accept. Node measures progress only at the end of each such period, so the connection ends
   * after one to two periods: see `makeEndIdleConnection`. Streams have their own limit (`stallMs`).
   */
  connectionTimeout: 30_000,
  http: {
    /** To the end of the headers, counted like `requestTimeout`. */
    headersTimeout: 15_000,
    /** How often Node checks the request and headers timeouts. A request may exceed them by this much. */
    connectionsCheckingInterval: 5_000,
    /** Request line and headers together. */
    maxHeaderSize: 16_384,
    // Node would reject a missing Host header with an empty 400. `request-screening.ts` rejects it with a problem.
    requireHostHeader: false,
  },
};

/** Creates the HTTP server, without any route. It does not listen yet. */
export function createServer(
  settings: Pick<Settings, 'BODY_LIMIT_BYTES' | 'TRUSTED_PROXIES'>,
  logger: Logger,
): FastifyInstance {
  const app = fastify({
    // Of Fastify's own lines, only warnings and errors are logged. The caller of `listen` logs that the service
    // listens.
    loggerInstance: raiseToWarnLevel(logger) as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    // Node's generator is fast: it draws random bytes for many ids at once. Its ids are not ordered within a
    // millisecond, and request ids need no such order.
    genReqId: () => randomUUIDv7(),
    requestIdHeader: false,
    trustProxy: toTrustProxy(settings.TRUSTED_PROXIES),
    bodyLimit: settings.BODY_LIMIT_BYTES,
    exposeHeadRoutes: false,
    // Requests that arrive while the server closes are processed like any other.
    return503OnClosing: false,
    ...connectionLimits,
    rewriteUrl: ({ url = '' }) => normalizeTarget(url),
    // No path parameter is too long for the router: `request-screening.ts` limits the length of the URL, and a route
    // rejects an overlong token like any wrong token.
    routerOptions: {
      maxParamLength: connectionLimits.http.maxHeaderSize,
      ignoreTrailingSlash: false,
      caseSensitive: true,
    },
    frameworkErrors: answerFrameworkError,
    clientErrorHandler: (error, socket) => answerClientError(error, socket, logger),
  });
  // `request.log` is our logger itself: a child logger per request costs more than the line that it writes. So each
  // line names its request id itself. With the option `childLoggerFactory`, Fastify would validate it for each request.
  app.log.child = () => logger as FastifyBaseLogger;
  // 0: no limit on the number of headers; `maxHeaderSize` limits their size. With a limit, Node would drop the headers
  // beyond it without an error, before our checks for repeated headers run.
  app.server.maxHeadersCount = 0;
  app.server.on('timeout', makeEndIdleConnection(app.server));
  app.server.on('checkExpectation', (_request, response) => answerExpectation(response, logger));
  return app;
}

/**
 * Makes the function that ends a connection that was idle for its time-out: at once between two requests
 * (`keepAliveTimeout`), and while its client accepts nothing of a response (`connectionTimeout`). A response that has
 * not begun gets a second period: its request is still arriving (limit: `requestTimeout`), or this process is busy.
 */
function makeEndIdleConnection(server: Server): (socket: Socket) => void {
  const waitedFor = new WeakSet<ServerResponse>();
  return (socket: SocketWithResponse) => {
    const response = socket._httpMessage ?? null;
    if (response === null || response.headersSent || waitedFor.has(response)) {
      socket.destroy();
      return;
    }
    waitedFor.add(response);
    socket.setTimeout(server.timeout);
  };
}

function raiseToWarnLevel(logger: Logger): Logger {
  return logger.isLevelEnabled('info') ? logger.child({}, { level: 'warn' }) : logger;
}

/** The open public interface. */
export interface PublicListener {
  /** The first address. All addresses have its port. */
  readonly address: AddressInfo;
  /** Closes the app. Resolves once every connection of every address has ended. */
  close(): Promise<void>;
}

/**
 * Listens on each of the addresses, with one HTTP server for all. Fastify would listen on both addresses of `localhost`
 * itself, but its second server has none of the limits, time-outs and answers of the first.
 *
 * Rejects with the error of the system if it cannot listen on one of them.
 */
export async function listenPublicly(
  app: FastifyInstance,
  [first, ...others]: readonly string[],
  port: number,
): Promise<PublicListener> {
  await app.listen({ host: first ?? 'localhost', port });
  const further = await listenFurther(app.server, others);
  return {
    address: app.server.address() as AddressInfo,
    close: async () => {
      const furtherClosed = further.close();
      await app.close();
      await furtherClosed;
    },
  };
}
