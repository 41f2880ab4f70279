import type { RateLimit } from '@widget-service/shared/domain/gcra.ts';
import type { Metrics } from '@widget-service/shared/metrics/metrics.ts';
import type { Clock } from '@widget-service/shared/runtime/clock.ts';
import type { FastifyRequest, onRequestHookHandler, preValidationHookHandler } from 'fastify';
import { makeTakeLocally } from '../../caller/limits/local-limit.ts';
import { readClientNetwork } from '../../http/forwarding.ts';
import { hasBody } from '../../http/json-body.ts';
import type { MappedHook } from '../../sources/map-hook.ts';
import { type ForeignHook, makeReadForeignHook, type ReadForeignHookDeps } from './read-foreign-hook.ts';
import type { SampleRecorder } from './sample-recorder.ts';
import { withholdSecrets } from './withheld-headers.ts';

export interface ForeignHookStepsDeps {
  readonly clock: Pick<Clock, 'now'>;
  readonly metrics: Pick<Metrics, 'hooksIgnored'>;
  readonly publicBaseUrl: string | null;
  readonly samples: Pick<SampleRecorder, 'record'>;
}

/** An integration keeps 10 samples: whoever does not know its secret must not push out those of the sender. */
const strangerSamples: RateLimit = { ratePerSecond: 1 / 60, burst: 3 };

/** Something that the schema of the body accepts, for a request without a hook. */
const noHook = {};

/**
 * Makes the steps by which the hook address reads requests of foreign senders (integrations with a `source`). They turn
 * a request into the hook that the interface describes; everything after that is the same for all hooks.
 */
export function makeForeignHookSteps({ clock, metrics, publicBaseUrl, samples }: ForeignHookStepsDeps) {
  const mayList = makeTakeLocally(strangerSamples);
  const recordSample: ReadForeignHookDeps['onRefused'] = (request, body, code, refusal) => {
    const { integration, id: requestId, raw } = request;
    const source = integration?.source;
    if (integration === null || source == null) return;
    if (refusal.step === 'signature') {
      const key = `${integration.id} ${readClientNetwork(request)}`;
      if (!mayList(key, clock.now().getTime())) return;
    }
    samples.record(integration.id, code, body, () => ({
      requestId,
      refusal,
      ...withholdSecrets(raw.rawHeaders, source),
    }));
  };
  const readForeignHook = makeReadForeignHook({ publicBaseUrl, onRefused: recordSample });
  const foreignHooks = new WeakMap<FastifyRequest, ForeignHook>();

  /**
   * Lets the JSON parser take whatever foreign senders call their bodies: `readDocument` judges them after the
   * signature. The charset stays. `rawHeaders` keep what was sent.
   */
  const acceptMediaType: onRequestHookHandler = ({ integration, raw: { headers } }, _reply, done) => {
    if (integration?.source != null && hasBody(headers)) {
      headers['content-type'] = (headers['content-type'] ?? '').replace(/^[^;]*/, 'application/json');
    }
    done();
  };

  /** Returns the hook as the schema of the body expects it. */
  const takeBody = (request: FastifyRequest, bytes: Uint8Array): unknown => {
    if (request.integration?.source == null) return undefined;
    const read = readForeignHook(request, bytes, clock.now());
    foreignHooks.set(request, read);
    if (read.type !== 'hook') return noHook;
    request.bodyText = toBodyText(read.hook);
    const { kind, occurredAt, widgetId, payload } = read.hook;
    // The text has the payload: nothing reads it from this object.
    return { kind, occurredAt, widgetId, payload: payload === null ? null : {} };
  };

  /** Answers what is no hook. */
  const answer: preValidationHookHandler = (request, reply, done) => {
    const read = request.integration?.source == null ? undefined : foreignHooks.get(request);
    if (read === undefined || read.type === 'hook') {
      done();
    } else if (read.type === 'handshake') {
      reply.header('content-type', 'text/plain; charset=utf-8').send(read.answer);
    } else {
      metrics.hooksIgnored.inc();
      reply.code(202).send();
    }
  };

  /** Returns what identifies repetitions of a foreign hook. Null: the request is no hook of a foreign sender. */
  const findKeys = (request: FastifyRequest): { webhookId: string | null; idempotencyKey: null } | null => {
    const read = request.integration?.source == null ? undefined : foreignHooks.get(request);
    return read?.type === 'hook' ? { webhookId: read.hook.id, idempotencyKey: null } : null;
  };

  return { acceptMediaType, takeBody, answer, findKeys };
}

/** The JSON of the hook, as a sender that can send hooks as described would send it. */
function toBodyText({ kind, occurredAt, widgetId, payload }: MappedHook): string {
  return `{"kind":"${kind}","occurredAt":"${occurredAt}","widgetId":${JSON.stringify(widgetId)},"payload":${payload}}`;
}
