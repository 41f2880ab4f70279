// Posts one request as each sender does, signed by the sender's own package. Standard input: `{ "<preset>": { "url",
// "secret" } }`. It prints a line of JSON for each: `{ "sender", "status" }`.
import { randomUUID } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { sign } from '@octokit/webhooks-methods';
import { createSHA256HMAC } from '@shopify/shopify-api/runtime';
import '@shopify/shopify-api/adapters/node';
import { CloudEvent, HTTP } from 'cloudevents';
import { Webhook } from 'standardwebhooks';
import Stripe from 'stripe';
import twilio from 'twilio';
import { getExpectedTwilioSignature } from 'twilio/lib/webhooks/webhooks.js';

const json = { 'content-type': 'application/json' };
const now = new Date();

const senders = {
  github: async ({ secret }) => {
    const body = JSON.stringify({ action: 'changed', repository: { full_name: 'node', updated_at: now } });
    const own = { 'x-github-event': 'repository', 'x-github-delivery': randomUUID() };
    return { headers: { ...json, ...own, 'x-hub-signature-256': await sign(secret, body) }, body };
  },
  stripe: async ({ secret }) => {
    const object = { id: 'node' };
    const created = Math.floor(now.getTime() / 1_000);
    const body = JSON.stringify({ id: `evt_${randomUUID()}`, type: 'changed', created, data: { object } });
    const header = new Stripe('sk_test').webhooks.generateTestHeaderString({ payload: body, secret });
    return { headers: { ...json, 'stripe-signature': header }, body };
  },
  shopify: async ({ secret }) => {
    const body = JSON.stringify({ id: 'node', title: 'Pump' });
    const own = {
      'x-shopify-topic': 'changed',
      'x-shopify-webhook-id': randomUUID(),
      'x-shopify-triggered-at': now.toISOString(),
      'x-shopify-hmac-sha256': await createSHA256HMAC(secret, body),
    };
    return { headers: { ...json, ...own }, body };
  },
  twilio: async ({ url, secret }) => {
    const fields = { CallSid: 'node', CallStatus: 'changed', Caller: '+12349013030', Digits: ['1', '2', '1'] };
    const body = new URLSearchParams(
      Object.entries(fields).flatMap(([name, value]) => [value].flat().map((one) => [name, one])),
    );
    const signature = getExpectedTwilioSignature(secret, url, fields);
    if (!twilio.validateRequest(secret, signature, url, fields))
      throw new Error('the package refuses its own signature');
    return { headers: { 'x-twilio-signature': signature, 'i-twilio-idempotency-token': randomUUID() }, body };
  },
  'standard-webhooks': async ({ secret }) => {
    const id = `msg_${randomUUID()}`;
    const body = JSON.stringify({ type: 'changed', timestamp: now, data: { id: 'node' } });
    const own = { 'webhook-id': id, 'webhook-timestamp': `${Math.floor(now.getTime() / 1_000)}` };
    return { headers: { ...json, ...own, 'webhook-signature': new Webhook(secret).sign(id, now, body) }, body };
  },
  cloudevents: async ({ secret }) => toCloudEvent(secret, HTTP.structured, 'node'),
  'cloudevents binary': async ({ secret }) => toCloudEvent(secret, HTTP.binary, 'node binary'),
};

function toCloudEvent(secret, write, subject) {
  const event = new CloudEvent({ source: '/plant', type: 'changed', subject, data: { pressure: 1 } });
  const { headers, body } = write(event);
  return { headers: { ...headers, authorization: `Bearer ${secret}` }, body };
}

const targets = JSON.parse(await text(process.stdin));
for (const [sender, build] of Object.entries(senders)) {
  const target = targets[sender.split(' ')[0]];
  const { headers, body } = await build(target);
  const response = await fetch(target.url, { method: 'POST', headers, body });
  await response.text();
  console.log(JSON.stringify({ sender, status: response.status }));
}
