import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { type ForeignSender, foreignSenders, toSource } from '../../drivers/app/foreign-senders.ts';
import { openSharedApp } from '../../drivers/app/open-shared.ts';
import { expectRefused, makeSourceClient } from '../../drivers/app/source-client.ts';

// Forms that older versions of a sender send, or that it sends beside its events.

const service = await openSharedApp();
const { headers } = await service.signedIn('admin');
const { create } = makeSourceClient(service, headers);

function senderOf(preset: string): ForeignSender {
  const sender = foreignSenders.find((each) => each.preset === preset);
  if (sender === undefined) throw new Error(`no sender with the preset ${preset}`);
  return sender;
}

async function open(sender: ForeignSender, mapping: object = sender.mapping) {
  const { token } = (await create({ ...toSource(sender), mapping })).json() as { token: string };
  return async (sent: Readonly<Record<string, string>>, body: string) => {
    const url = `/api/v1/events/hooks/${token}`;
    const response = await service.post(url, body, { ...sent });
    return { response, status: response.statusCode, eventId: response.headers['webhook-event-id'] };
  };
}

describe('GitLab before 17.4', () => {
  const gitlab = senderOf('gitlab');
  const build = (more: Readonly<Record<string, string>>) => {
    const { headers: all, body } = gitlab.build({ secret: gitlab.secret, at: new Date(), url: '' });
    const { 'idempotency-key': _, ...own } = all;
    return [{ ...own, 'x-gitlab-event-uuid': 'of several events', ...more }, body] as const;
  };

  test('is understood by the id of the request', async () => {
    const post = await open(gitlab);
    const one = await post(...build({ 'x-gitlab-webhook-uuid': 'one' }));
    const other = await post(...build({ 'x-gitlab-webhook-uuid': 'other' }));
    expect([one.status, other.status]).toEqual([202, 202]);
    expect(other.eventId).not.toBe(one.eventId);
  });

  test('is refused without any id, and if the mapping names another place', async () => {
    expectRefused((await (await open(gitlab))(...build({}))).response, 'hook-not-mappable');
    const post = await open(gitlab, { kind: { value: 'updated' }, id: { from: '/none' } });
    expectRefused((await post(...build({ 'x-gitlab-webhook-uuid': 'one' }))).response, 'hook-not-mappable');
  });

  test('has the same id from then on, if it sends both', async () => {
    const post = await open(gitlab);
    const both = (uuid: string) => post(...build({ 'idempotency-key': 'key', 'x-gitlab-webhook-uuid': uuid }));
    const [one, again] = [await both('one'), await both('other')];
    expect([one.status, again.eventId]).toEqual([202, one.eventId]);
  });
});

describe('Slack', () => {
  const slack = senderOf('slack');
  const form = 'application/x-www-form-urlencoded';
  const sign = (type: string, body: string) => {
    const time = `${Math.floor(Date.now() / 1_000)}`;
    const signature = createHmac('sha256', slack.secret).update(`v0:${time}:${body}`).digest('hex');
    return {
      'content-type': type,
      'x-slack-request-timestamp': time,
      'x-slack-signature': `v0=${signature}`,
    };
  };
  const interaction = (trigger: string) =>
    new URLSearchParams({ payload: JSON.stringify({ type: 'block_actions', trigger_id: trigger }) }).toString();

  test.each([
    ['a slash command', (trigger: string) => `command=%2Fpump&text=&trigger_id=${trigger}`],
    ['an interaction', interaction],
  ])('%s is one event for each trigger', async (_, build) => {
    const post = await open(slack, { kind: { value: 'updated' } });
    const [one, again, other] = await Promise.all(
      ['1.a', '1.a', '2.b'].map((trigger) => post(sign(form, build(trigger)), build(trigger))),
    );
    expect([one?.status, other?.status]).toEqual([202, 202]);
    expect(again?.eventId).toBe(one?.eventId);
    expect(other?.eventId).not.toBe(one?.eventId);
  });

  test.each([
    ['ssl_check', form, 'ssl_check=1&token=x'],
    ['app_rate_limited', 'application/json', '{"type":"app_rate_limited","minute_rate_limited":1518467820}'],
  ])('%s is no event, and is not refused', async (_, type, body) => {
    const post = await open(slack, { kind: { value: 'updated' } });
    const { status, eventId } = await post(sign(type, body), body);
    expect({ status, eventId }).toEqual({ status: 202, eventId: undefined });
  });
});

describe('Svix', () => {
  const standard = senderOf('standard-webhooks');
  const rename = (sent: Readonly<Record<string, string>>, prefix: string) =>
    Object.fromEntries(Object.entries(sent).map(([name, value]) => [name.replace(/^webhook-/, prefix), value]));

  test.each(['svix-', 'Svix-'])('is understood by its own headers: %s', async (prefix) => {
    const post = await open(standard);
    const request = standard.build({ secret: standard.secret, at: new Date(), url: '' });
    const [first, again] = [
      await post(rename(request.headers, prefix), request.body),
      await post(request.headers, request.body),
    ];
    expect([first.status, again.eventId]).toEqual([202, first.eventId]);
  });

  test('is refused with the signature of another secret, and with headers of both names', async () => {
    const post = await open(standard);
    const forged = standard.build({ secret: standard.otherSecret, at: new Date(), url: '' });
    expectRefused((await post(rename(forged.headers, 'svix-'), forged.body)).response, 'invalid-hook-signature');
    const request = standard.build({ secret: standard.secret, at: new Date(), url: '' });
    const mixed = { ...rename(request.headers, 'svix-'), 'webhook-id': 'another' };
    expectRefused((await post(mixed, request.body)).response, 'invalid-hook-signature');
  });
});
