import { openStream } from '../../drivers/streams/stream-client.ts';
import type { BareFanOutCommands } from '../yardsticks/bare-fan-out.ts';
import { startChild } from './child.ts';
import {
  createPublishedWidgets,
  listBackends,
  type MeasuredService,
  startMeasuredService,
} from './measured-service.ts';

/** A server that sends what is published to it to many streams: the service, or the yard-stick. */
export interface FanOutServer {
  readonly name: 'embedded' | 'cluster' | 'bare';
  /** The process that holds the streams. */
  readonly pid: number;
  readonly streamUrl: string;
  readonly publishUrl: string;
  /** The text that each event contains once. */
  readonly eventMark: string;
  /** Returns the body that publishes the event with this number. */
  body(number: number): string;
  stop(): Promise<void>;
}

/** Starts every server that can be measured here: each backend of the service, and a bare Node server. */
export async function startFanOutServers(): Promise<FanOutServer[]> {
  const servers: FanOutServer[] = [];
  for (const backend of listBackends()) servers.push(await startServiceServer(backend));
  // The yard-stick sends the bytes that the service would send.
  servers.push(await startBareServer(await readOneEvent(servers[0] as FanOutServer)));
  return servers;
}

/** The service with 100 widgets, which the hooks update in turn, and one worker. */
async function startServiceServer(backend: MeasuredService['backend']): Promise<FanOutServer> {
  const service = await startMeasuredService(backend);
  await service.startWorker();
  const { url: publishUrl } = await service.client.createIntegration('benchmark');
  const { url: streamUrl } = await service.client.createSubscription('benchmark');
  const widgetIds = await createPublishedWidgets(service, 100);
  return {
    name: backend,
    pid: service.api.pid,
    streamUrl,
    publishUrl,
    eventMark: '\nevent: widget.',
    body: (number) =>
      JSON.stringify({
        kind: 'updated',
        occurredAt: '2026-01-05T16:00:05.123Z',
        widgetId: widgetIds[number % widgetIds.length],
        payload: { number, note: 'measured at the end of the line' },
      }),
    stop: () => service.dispose(),
  };
}

async function startBareServer(event: string): Promise<FanOutServer> {
  const child = await startChild<BareFanOutCommands>(new URL('../yardsticks/bare-fan-out.ts', import.meta.url));
  const urls = await child.call('listen', null);
  const { pid, stop } = child;
  return { name: 'bare', pid, ...urls, eventMark: '\nevent: widget.', body: () => event, stop };
}

async function readOneEvent({ streamUrl, publishUrl, body }: FanOutServer): Promise<string> {
  const stream = await openStream(streamUrl);
  const headers = { 'content-type': 'application/json' };
  await fetch(publishUrl, { method: 'POST', headers, body: body(0) });
  await stream.until(() => stream.widgetEvents().length > 0, 'an event arrives');
  stream.close();
  const { id, event, data } = stream.widgetEvents()[0] ?? { id: '', event: '', data: '' };
  return `id: ${id}\nevent: ${event}\ndata: ${data}\n\n`;
}
