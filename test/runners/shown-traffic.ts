import { setTimeout as delay } from 'node:timers/promises';
import type { WidgetServiceClient } from '@widget-service/client/client.ts';

const things = [
  ['Boiler', 'heating'],
  ['Circulation pump', 'heating'],
  ['Radiator valve', 'heating'],
  ['Heat meter', 'metering'],
  ['Water meter', 'metering'],
  ['Electricity meter', 'metering'],
  ['Cold room', 'cooling'],
  ['Roof vent', 'air'],
  ['Door contact', 'access'],
  ['Smoke detector', 'safety'],
] as const;
const places = [
  'Harbour hall',
  'North gate',
  'Depot',
  'School',
  'Town hall',
  'Clinic',
  'مدرسة',
  'Gdańsk shipyard',
] as const;
const rooms = ['cellar', 'floor 1', 'floor 2', 'roof'] as const;

const senders = [
  { name: 'Building sensors', share: 0.55 },
  { name: 'Metering gateway', share: 0.25 },
  { name: 'Field service app', share: 0.15 },
  { name: 'Door controllers', share: 0.05 },
] as const;

const users = [
  ['Operations', 'admin'],
  ['On call', 'editor'],
  ['Control room', 'viewer'],
] as const;

/** What the console shows in its pictures. Everything in it is made by the interface, as in production. */
export interface ShownData {
  readonly widgetIds: readonly string[];
  readonly integrations: readonly ShownIntegration[];
  /** The subscription with a filter. */
  readonly streamId: string;
  /** The open streams. */
  readonly streams: readonly AbortController[];
}

interface ShownIntegration {
  readonly id: string;
  readonly url: string;
  /** Its share of all hooks, of 1. */
  readonly share: number;
}

/** Makes 300 widgets, four integrations, three streams, users and a provision token. */
export async function fillService(client: WidgetServiceClient, serviceUrl: string): Promise<ShownData> {
  const { api } = client;
  const widgetIds: string[] = [];
  for (const [index, [place, room, [thing, kind]]] of listDevices().slice(0, 300).entries()) {
    const labels = [kind, room, ...(index % 12 === 0 ? ['critical'] : [])];
    widgetIds.push((await client.createWidget({ name: `${thing} ${place}, ${room}`, labels })).id);
  }
  const integrations: ShownIntegration[] = [];
  for (const { name, share } of senders) {
    const { id, url } = await api.POST('/api/v1/integrations', { body: { name } });
    integrations.push({ id, url: serviceUrl + new URL(url).pathname, share });
  }
  const streams: AbortController[] = [];
  const openStream = async (name: string, labels: string[]) => {
    const filter = labels.length === 0 ? {} : { filter: { labels } };
    const { id, url } = await api.POST('/api/v1/subscriptions', { body: { name, ...filter } });
    const stream = new AbortController();
    const response = await fetch(serviceUrl + new URL(url).pathname, { signal: stream.signal });
    // A stream that nobody reads is closed.
    void response.body?.pipeTo(new WritableStream()).catch(() => undefined);
    streams.push(stream);
    return id;
  };
  const streamId = await openStream('Control room wall', ['critical', 'safety']);
  await openStream('Data warehouse', []);
  await openStream('Caretaker app', ['heating']);
  await api.POST('/api/v1/provision-tokens', { body: { name: 'Nightly import' } });
  for (const [name, role] of users) {
    const email = `${name.toLowerCase().replace(' ', '-')}@example.com`;
    await api.POST('/api/v1/users', { body: { email, name, role, password: 'chosen for a picture' } });
  }
  return { widgetIds, integrations, streamId, streams };
}

/** Posts a hook. Returns the id of its event, or null if it was refused. */
export async function postHook(url: string, hook: object): Promise<string | null> {
  const body = JSON.stringify({ occurredAt: new Date().toISOString(), ...hook });
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  await response.arrayBuffer();
  return response.headers.get('webhook-event-id');
}

/** Sends hooks until the signal: two to eight per second, in waves of 20 minutes. About one in eighty is refused. */
export async function sendTraffic({ widgetIds, integrations }: ShownData, signal: AbortSignal): Promise<void> {
  const startedAtMs = Date.now();
  while (!signal.aborted) {
    const { url } = pickByShare(integrations);
    const kind = Math.random() < 0.02 ? 'created' : 'updated';
    const ofWidget = kind === 'created' ? {} : { widgetId: pick(widgetIds) };
    await postHook(url, Math.random() < 0.012 ? { kind: 'painted' } : { kind, ...ofWidget, payload: measure() });
    const wave = Math.sin(((Date.now() - startedAtMs) / 1_200_000) * 2 * Math.PI);
    await delay(1_000 / (5 + 3 * wave), undefined, { signal }).catch(() => undefined);
  }
}

type Device = readonly [place: string, room: string, thing: (typeof things)[number]];

function listDevices(): Device[] {
  return places.flatMap((place) => rooms.flatMap((room) => things.map((thing): Device => [place, room, thing])));
}

function pick<Item>(items: readonly Item[]): Item | undefined {
  return items[Math.floor(Math.random() * items.length)];
}

function pickByShare<Item extends { readonly share: number }>(items: readonly Item[]): Item {
  let rest = Math.random();
  const found = items.find(({ share }) => {
    rest -= share;
    return rest <= 0;
  });
  const last = found ?? items.at(-1);
  if (last === undefined) throw new RangeError('there is nothing to pick from');
  return last;
}

/** What a sensor reports. */
export function measure(): Record<string, number> {
  return { temperature: Math.round(Math.random() * 200) / 10, battery: Math.ceil(Math.random() * 100) };
}
