import type { Metrics } from '@widget-service/shared/metrics/metrics.ts';
import type { FastifyInstance } from 'fastify';
import type { ConnectionLimiter, ConnectionRefusal } from '../http/connection-limits.ts';
import { sendProblem } from '../http/problem.ts';
import { isStreamAddress, setCommonHeaders } from '../http/request-screening.ts';
import { type ClosingReason, closingBytes } from '../streams/fan-out/closing-rules.ts';

const closingReasonFor: Readonly<Record<ConnectionRefusal, ClosingReason>> = {
  'per-address': 'too-many-connections',
  'per-pod': 'overloaded',
};

/**
 * Answers the request on a refused connection, before anything else is done for it: with the problem
 * `too-many-connections`, or, at the address of a stream, with a stream of one `stream.closing`. Any status but 200
 * would end a browser's EventSource for good. The token is not checked. The connection closes after the answer.
 */
export function registerConnectionRefusals(
  app: FastifyInstance,
  connections: Pick<ConnectionLimiter, 'findRefusal'>,
  metrics: Pick<Metrics, 'streamsRefused'>,
): void {
  app.addHook('onRequest', (request, reply, done) => {
    const { method, url = '', socket } = request.raw;
    const refusal = connections.findRefusal(socket);
    if (refusal === undefined) {
      done();
      return;
    }
    // `ConnectionLimiter` logs once a minute: a flood of connections must not become a flood of lines.
    request.isLogged = true;
    setCommonHeaders(request, reply);
    reply.header('connection', 'close');
    if (method !== 'GET' || !isStreamAddress(url)) {
      sendProblem(reply, { code: 'too-many-connections' });
      return;
    }
    const reason = closingReasonFor[refusal];
    metrics.streamsRefused.inc({ reason });
    reply.header('content-type', 'text/event-stream; charset=utf-8').send(closingBytes(reason));
  });
}
