import { randomUUIDv7 } from 'node:crypto';
import type { Logger } from '@widget-service/shared/runtime/logger.ts';
import {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyServerOptions,
  fastify,
  LogController,
} from 'fastify';
import { answerExpectation, answerFrameworkError, answerParserError } from './error-handler.ts';
import { normalizeTarget } from './request-target.ts';

/** How slowly a client may talk, and how much it may say before it is understood: what a connection can hold for nothing. */
const patience = {
  /** From the first byte of a request to its last. */
  requestTimeout: 30_000,
  /** Longer than the minute after which proxies let a connection go, so that it is they who close it. */
  keepAliveTimeout: 72_000,
  /** How long a client may take nothing of an answer that waits for it. Streams have a bound of their own. */
  connectionTimeout: 60_000,
  http: {
    /** From the first byte of a request to the end of its headers. */
    headersTimeout: 15_000,
    /** How often these are looked at: by so much they may be exceeded. */
    connectionsCheckingInterval: 5_000,
    /** Request line and headers together. */
    maxHeaderSize: 16_384,
    // Node's own refusal of a missing Host has no body; `admit-request.ts` refuses it.
    requireHostHeader: false,
  },
};

export interface ServerOptions {
  readonly bodyLimitBytes: number;
  readonly trustProxy: NonNullable<FastifyServerOptions['trustProxy']>;
  readonly logger: Logger;
}

/** The HTTP server without any route. */
export function createServer({ bodyLimitBytes, trustProxy, logger }: ServerOptions): FastifyInstance {
  const app = fastify({
    // Fastify's own lines are of use when something is wrong; that it listens is told once, by whoever has it listen.
    loggerInstance: fromWarningsOn(logger) as FastifyBaseLogger,
    // Lines name their request themselves: a child logger for every request costs more than its line.
    childLoggerFactory: () => logger as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    // Node's own takes its randomness in bulk; request ids need not rise within a millisecond.
    genReqId: () => randomUUIDv7(),
    requestIdHeader: false,
    trustProxy,
    bodyLimit: bodyLimitBytes,
    exposeHeadRoutes: false,
    // A request that comes while the server closes is answered like any other.
    return503OnClosing: false,
    ...patience,
    rewriteUrl: ({ url = '' }) => normalizeTarget(url),
    // The address as a whole is bounded, so a long token is just a wrong one.
    routerOptions: { maxParamLength: patience.http.maxHeaderSize, ignoreTrailingSlash: false, caseSensitive: true },
    frameworkErrors: answerFrameworkError,
    clientErrorHandler: (error, socket) => answerParserError(error, socket, logger),
  });
  // Headers are bounded by their size. By a number of them, Node would drop the rest before any check has seen it.
  app.server.maxHeadersCount = 0;
  app.server.on('checkExpectation', (_request, response) => answerExpectation(response, logger));
  return app;
}

function fromWarningsOn(logger: Logger): Logger {
  return logger.isLevelEnabled('info') ? logger.child({}, { level: 'warn' }) : logger;
}
