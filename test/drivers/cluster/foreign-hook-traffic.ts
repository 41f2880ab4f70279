import { createHmac, randomUUID } from 'node:crypto';
import { Agent } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { deriveEventId } from '@widget-service/shared/domain/hook-event-id.ts';
import type { ConsoleClient } from '../app/console-client.ts';
import { createRecordedPost, type HookTrafficOptions, type PlannedHook, selectWidgetId } from './hook-traffic.ts';
import { withOrigin } from './service-process.ts';

interface ForeignHookTrafficOptions extends Omit<HookTrafficOptions, 'integration'> {
  readonly baseUrl: string;
  readonly client: ConsoleClient;
}

interface ForeignIntegration {
  readonly id: string;
  readonly url: string;
}

/** A hook before it is signed. */
interface Subject extends Pick<PlannedHook, 'kind' | 'widgetId'> {
  readonly id: string;
  readonly at: Date;
  readonly index: number;
}

interface Sender {
  readonly preset: 'github' | 'stripe' | 'standard-webhooks';
  readonly secret: string;
  readonly mapping: object;
  /** How often it sends a hook that was not accepted. */
  readonly attempts: number;
  /** Whether it sends some hooks again although they were accepted. */
  readonly repeats: boolean;
  /** The time of the hook, as the interface has it. */
  toOccurredAt(at: Date): string;
  /** Signs at each attempt anew, as the sender does. */
  sign(subject: Subject, secret: string): Pick<PlannedHook, 'headers' | 'body' | 'payload'>;
}

const json = { 'content-type': 'application/json' };
const repeatAfterMs = 500;
/** The words of the senders for the three kinds. */
const words = { created: 'opened', updated: 'edited', retired: 'archived' } as const;
const values = { opened: 'created', edited: 'updated', archived: 'retired' };
const secondsOf = (time: Date) => Math.floor(time.getTime() / 1_000);
const sign = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text);

const senders: readonly Sender[] = [
  {
    // GitHub sends a delivery once, and again only if somebody asks for it.
    preset: 'github',
    secret: 'the-secret-given-to-github',
    attempts: 1,
    repeats: true,
    mapping: {
      only: [{ header: 'x-github-event', in: ['repository'] }],
      kind: { from: '/action', values },
      occurredAt: { from: '/repository/pushed_at' },
      widgetId: { from: '/repository/widget', otherwise: 'none' },
      payload: { from: '/repository' },
    },
    toOccurredAt: (at) => at.toISOString(),
    sign: ({ id, at, kind, widgetId, index }, secret) => {
      // The same time in another zone.
      const local = new Date(at.getTime() + 7_200_000).toISOString().replace('Z', '+02:00');
      const payload = JSON.stringify({ widget: widgetId, pushed_at: local, index });
      const body = `{"action":"${words[kind]}","repository":${payload}}`;
      const own = { 'x-github-event': 'repository', 'x-github-delivery': id };
      return {
        headers: { ...json, ...own, 'x-hub-signature-256': `sha256=${sign(secret, body).digest('hex')}` },
        body,
        payload,
      };
    },
  },
  {
    // Stripe repeats an event with its id until it is accepted, each time with another time and signature.
    preset: 'stripe',
    secret: 'whsec_the_secret_of_stripe',
    attempts: 20,
    repeats: true,
    mapping: {
      kind: { from: '/type', values },
      widgetId: { from: '/data/object/widget', otherwise: 'none' },
      payload: { from: '/data/object' },
    },
    toOccurredAt: (at) => new Date(secondsOf(at) * 1_000).toISOString().replace('.000', ''),
    sign: ({ id, at, kind, widgetId, index }, secret) => {
      const payload = JSON.stringify({ widget: widgetId, index });
      const envelope = JSON.stringify({ id, type: words[kind], created: secondsOf(at) });
      const body = `${envelope.slice(0, -1)},"data":{"object":${payload}}}`;
      const time = secondsOf(new Date());
      const signature = `t=${time},v1=${sign(secret, `${time}.${body}`).digest('hex')}`;
      return { headers: { ...json, 'stripe-signature': signature }, body, payload };
    },
  },
  {
    preset: 'standard-webhooks',
    secret: 'whsec_dGhlIHNlY3JldCBvZiBzdGFuZGFyZCB3ZWJob29rcw==',
    attempts: 3,
    repeats: false,
    mapping: {
      kind: { from: '/type', values },
      widgetId: { from: '/data/widget', otherwise: 'none' },
      payload: { from: '/data' },
    },
    toOccurredAt: (at) => at.toISOString(),
    sign: ({ id, at, kind, widgetId, index }, secret) => {
      const payload = JSON.stringify({ widget: widgetId, index });
      const body = `{"type":"${words[kind]}","timestamp":"${at.toISOString()}","data":${payload}}`;
      const time = `${secondsOf(new Date())}`;
      const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
      const signature = `v1,${sign(key, `${id}.${time}.${body}`).digest('base64')}`;
      return {
        headers: { ...json, 'webhook-id': id, 'webhook-timestamp': time, 'webhook-signature': signature },
        body,
        payload,
      };
    },
  },
];

/** Creates an integration for each of three senders, and sends hooks in turn as they would. */
export async function openForeignHookTraffic({ baseUrl, client, widgetIds, ...recorder }: ForeignHookTrafficOptions) {
  const integrations: ForeignIntegration[] = [];
  for (const { preset, secret, mapping } of senders) {
    const body = { name: preset, source: { preset, secrets: [secret], mapping } };
    const issued = (await (await client.request('POST', '/api/v1/integrations', body)).json()) as ForeignIntegration;
    integrations.push({ id: issued.id, url: withOrigin({ url: baseUrl }, issued.url) });
  }
  const agent = new Agent({ keepAlive: true });
  const sendOnce = createRecordedPost(recorder, agent);

  return {
    secrets: senders.map(({ secret }) => secret),
    send: async (index: number): Promise<void> => {
      const sender = senders[index % senders.length];
      const integration = integrations[index % senders.length];
      if (sender === undefined || integration === undefined) throw new Error('unreachable');
      const subject = toSubject(index, widgetIds);
      const plan = (): PlannedHook => ({
        ...{ kind: subject.kind, widgetId: subject.widgetId, url: integration.url },
        occurredAt: sender.toOccurredAt(subject.at),
        eventId: deriveEventId(integration.id, { kind: 'webhook-id', value: subject.id }),
        ...sender.sign(subject, sender.secret),
      });
      const isRepeated = sender.repeats && index % 20 === 11;
      for (let attempt = 1; attempt <= sender.attempts + (isRepeated ? 1 : 0); attempt += 1) {
        const sent = await sendOnce(plan());
        if (sent.outcome === 'ok' && !(isRepeated && attempt === 1)) return;
        await delay(repeatAfterMs);
      }
    },
    close: () => agent.destroy(),
  };
}

function toSubject(index: number, widgetIds: readonly string[]): Subject {
  return {
    index,
    id: `delivery-${index}-${randomUUID()}`,
    kind: index % 20 === 3 ? 'retired' : index % 7 === 1 ? 'created' : 'updated',
    // These times are not in sending order, and never in the future.
    at: new Date(Date.now() - ((index * 7_919) % 5_000)),
    widgetId: selectWidgetId(index, widgetIds),
  };
}
