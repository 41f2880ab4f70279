import { Counter, type Registry } from 'prom-client';
import { requestBuckets } from './buckets.ts';
import { Histogram } from './histogram.ts';

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
    rateLimitFallbacks: new Counter({
      name: 'widget_rate_limit_fallback_total',
      help: 'Rate limit decisions of this pod alone, because the shared limiter was unavailable or slow.',
      registers,
    }),
  };
}
