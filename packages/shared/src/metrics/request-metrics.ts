import { Counter, Gauge, type Registry } from 'prom-client';
import { Histogram, requestBuckets } from './histogram.ts';

/** Metrics of HTTP requests. */
export function requestMetrics(registers: Registry[]) {
  return {
    httpRequests: new Counter({
      name: 'widget_http_requests_total',
      help: 'Responses, by method, route pattern and status. Streams that were opened are in widget_streams_opened_total.',
      labelNames: ['method', 'route', 'status'],
      registers,
    }),
    httpSeconds: new Histogram({
      name: 'widget_http_request_duration_seconds',
      help: 'Time from the end of the request headers to the end of the response, in seconds, by method, route pattern and class of status (2xx).',
      labelNames: ['method', 'route', 'status'],
      buckets: requestBuckets,
      registers,
    }),
    auditEventsLost: new Counter({
      name: 'widget_audit_events_lost_total',
      help: 'Audit events that could not be stored. Each is complete in a log line `audit.lost`.',
      registers,
    }),
    identityProviderFailures: new Counter({
      name: 'widget_identity_provider_failures_total',
      help: 'Sign-ins, and checks of the provider, that the identity provider or its settings made impossible. The check runs at the start, and once a minute until it succeeds.',
      registers,
    }),
    connectionsOpen: new Gauge({
      name: 'widget_connections_open',
      help: 'Connections open on the public interface of this pod, with or without a request, including open streams.',
      registers,
    }),
    connectionsLimit: new Gauge({
      name: 'widget_connections_limit',
      help: 'How many connections this pod accepts at most (STREAMS_PER_POD and 10 000).',
      registers,
    }),
    connectionsRefused: new Counter({
      name: 'widget_connections_refused_total',
      help: 'Connections refused, by reason: per-address, per-pod (both answered with 503), or reset (closed without an answer, while many are being refused).',
      labelNames: ['reason'],
      registers,
    }),
    rateLimitFallbacks: new Counter({
      name: 'widget_rate_limit_fallback_total',
      help: 'Rate limit decisions of this pod alone, because the shared limiter was unavailable or slow.',
      registers,
    }),
  };
}
