import { describe, expect, test } from 'vitest';
import { openSharedService } from '../../drivers/app/open-shared.ts';
import { findPrometheusTool, runPromtool } from '../../drivers/cluster/prometheus-tools.ts';
import { openStream } from '../../drivers/streams/stream-client.ts';
import { eventually } from '../../drivers/tools/eventually.ts';

const promtool = findPrometheusTool('promtool');

const service = await openSharedService({}, {}, { fanOut: { heartbeatIntervalMs: 100 } });

const scrape = async () => (await fetch(`${service.opsUrl}/metrics`)).text();

/** Returns the value of one series, for example `widget_streams_open`. Null if it does not exist. */
async function read(series: string): Promise<number | null> {
  const line = (await scrape()).split('\n').find((text) => text.startsWith(`${series} `));
  return line === undefined ? null : Number(line.slice(series.length + 1));
}

const post = (url: string, body: object) =>
  fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });

describe('GET /metrics', () => {
  test('has the series of alerts at 0 before the first request', async () => {
    const text = await scrape();
    for (const series of [
      'widget_hooks_refused_total{code="rate-limited"}',
      'widget_hooks_refused_total{code="invalid-hook-token"}',
      'widget_stream_gaps_total{reason="trimmed"}',
      'widget_streams_closed_total{reason="slow"}',
      'widget_streams_refused_total{reason="overloaded"}',
      'widget_task_failures_total{task="tail"}',
    ]) {
      expect(text).toContain(`${series} 0\n`);
    }
    expect(text).toMatch(/^widget_build_info\{version="\d.*",backend="(embedded|cluster)"\} 1$/m);
  });

  test('is small on a pod that nobody has called: a scrape holds up its streams and hooks', async () => {
    const text = await scrape();
    expect(Buffer.byteLength(text)).toBeLessThan(60_000);
    const series = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    expect(series.length).toBeLessThan(800);
    // They would list every open socket at each scrape.
    expect(text).not.toContain('nodejs_active_');
  });

  test.runIf(promtool !== null)('has a text that promtool accepts', async () => {
    const result = runPromtool(promtool ?? '', ['check', 'metrics'], { input: await scrape() });
    expect(result).toEqual({ exitCode: 0, output: '' });
  });

  test('measures a hook from its request to the stream', async () => {
    const stream = await openStream((await service.issueStreamUrl()).url);
    await stream.until(() => stream.events.length > 0, 'stream.open');
    const hookUrl = await service.issueHookUrl();
    expect((await post(hookUrl, { kind: 'updated', occurredAt: '2026-03-01T10:00:00Z' })).status).toBe(202);
    await stream.until(() => stream.widgetEvents().length === 1, 'the event');

    const route = 'method="POST",route="/api/v1/events/hooks/:token",status="2xx"';
    await eventually(async () => (await read('widget_stream_events_sent_total')) === 1, 'the event counts as sent');
    expect(await read(`widget_http_request_duration_seconds_count{${route}}`)).toBe(1);
    expect(await read('widget_event_delivery_delay_seconds_count')).toBe(1);
    expect(await read('widget_stream_sent_bytes_total')).toBeGreaterThan(100);
    expect(await read('widget_streams_open')).toBe(1);
    expect(await read('widget_streams_opened_total{start="fresh"}')).toBe(1);
    expect(await read('widget_store_call_duration_seconds_count{port="hookQueue",operation="enqueue"}')).toBe(1);
    stream.close();
    await eventually(
      async () => (await read('widget_streams_closed_total{reason="client-left"}')) === 1,
      'the stream counts as closed',
    );
  });

  test('counts a refused hook by its problem code, and a gap by its reason', async () => {
    const hookUrl = await service.issueHookUrl();
    expect((await post(hookUrl, { kind: 'exploded' })).status).toBe(400);
    const { url } = await service.issueStreamUrl();
    const stream = await openStream(`${url}?lastEventId=nonsense`);
    await stream.until(() => stream.events.length > 0, 'stream.gap');
    stream.close();
    expect(await read('widget_hooks_refused_total{code="invalid-request"}')).toBe(1);
    expect(await read('widget_stream_gaps_total{reason="malformed"}')).toBe(1);
    expect(await read('widget_streams_opened_total{start="gap"}')).toBe(1);
  });

  test('shows the queues and the event log', async () => {
    // NaN until the pod has sampled a log that has an epoch.
    await eventually(async () => Number(await read('widget_event_log_events')) >= 0, 'a sample of the log');
    const text = await scrape();
    expect(text).toMatch(/^widget_hook_queue_jobs\{queue="[\w-]+"\} \d+$/m);
    expect(text).toMatch(/^widget_hook_queue_oldest_age_seconds\{queue="[\w-]+"\} \d/m);
    expect(await read('widget_tail_lag_events')).toBeGreaterThanOrEqual(0);
  });

  test('has no token, no id and no URL in a label', async () => {
    const hookUrl = await service.issueHookUrl();
    await post(hookUrl, { kind: 'updated', occurredAt: '2026-03-01T10:00:00Z' });
    await post(hookUrl.replace(/.{6}$/, 'AAAAAA'), { kind: 'updated' });
    const text = await scrape();
    expect(text).not.toMatch(/w[shp]t_/);
    expect(text).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}-/);
    expect(text).not.toContain('http:');
  });
});
