import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CorpusCase } from '../../corpus/corpus-case.ts';
import { createWidgetBodies } from '../../corpus/create-widget-bodies.ts';
import { createWidgetCredentials } from '../../corpus/create-widget-credentials.ts';
import { createWidgetFields } from '../../corpus/create-widget-fields.ts';
import { deliveries } from '../../corpus/deliveries.ts';
import { type CorpusNames, fillIn, headersOf, issueNames } from '../../corpus/issue-names.ts';
import { getWidget, listWidgets } from '../../corpus/list-widgets.ts';
import { manageGrants } from '../../corpus/manage-grants.ts';
import { managePeople } from '../../corpus/manage-people.ts';
import { otherAddresses, session } from '../../corpus/other-addresses.ts';
import { receiveHook } from '../../corpus/receive-hook.ts';
import { expectProblem } from '../../drivers/expect-problem.ts';
import { openTestApp, type TestApp, type TestResponse } from '../../drivers/test-app.ts';
import { createHttpSender, type HttpSender } from './http-sender.ts';
import { valuesOf } from './sent-values.ts';
import { setUpTimeoutMs } from './set-up-timeout.ts';

let service: TestApp;
let names: CorpusNames;
let http: HttpSender;
beforeAll(async () => {
  service = await openTestApp();
  names = await issueNames(service.backend);
  await service.app.listen({ host: '127.0.0.1', port: 0 });
  http = createHttpSender(`http://127.0.0.1:${(service.app.server.address() as AddressInfo).port}`);
}, setUpTimeoutMs);
afterAll(async () => {
  http.close();
  await service.close();
});

/** Injecting normalises an address; where the address is what is wrong, it must go over a socket. */
const groups: Readonly<Record<string, { cases: readonly CorpusCase[]; overSockets?: boolean }>> = {
  'list widgets': { cases: listWidgets },
  'get a widget': { cases: getWidget, overSockets: true },
  'create a widget: members': { cases: createWidgetFields },
  'create a widget: body': { cases: createWidgetBodies },
  'create a widget: credentials': { cases: createWidgetCredentials },
  'receive a hook': { cases: receiveHook, overSockets: true },
  session: { cases: session },
  'manage grants': { cases: manageGrants },
  deliveries: { cases: deliveries, overSockets: true },
  'manage people': { cases: managePeople },
  'other addresses': { cases: otherAddresses, overSockets: true },
};

function send({ method, url, as, headers = {}, body: text }: CorpusCase, overSockets: boolean): Promise<TestResponse> {
  const body = typeof text === 'string' ? fillIn(text, names) : text;
  const given = Object.entries(headers).map(([name, value]) => [
    name,
    typeof value === 'string' ? fillIn(value, names) : value.map((each) => fillIn(each, names)),
  ]);
  const all = { ...(as === undefined ? {} : headersOf(as, names)), ...Object.fromEntries(given) };
  const path = fillIn(url, names);
  if (overSockets) return http.send({ method, path, headers: all, ...(body === undefined ? {} : { body }) });
  return service.inject({ method, url: path, headers: all, ...(body === undefined ? {} : { payload: body }) });
}

describe.each(Object.entries(groups))('%s', (_, { cases, overSockets = false }) => {
  test.each(cases.map((each) => [each.name, each] as const))('%s', async (_name, each) => {
    const response = await send(each, overSockets);
    const { status, code, mistake, allow } = each.expected;
    if (code === undefined) {
      expect(response.statusCode, response.body).toBe(status);
      return;
    }
    expectProblem(response, { status, code });
    if (mistake !== undefined) expect(response.json().errors).toContainEqual(expect.objectContaining(mistake));
    if (allow !== undefined) expect(response.headers.allow).toBe(allow);
    expect(valuesOf(each, names).filter((value) => response.body.includes(value))).toEqual([]);
  });
});

test('there are at least 300 of them, no two of a group alike', () => {
  const all = Object.values(groups).flatMap(({ cases }) => cases);
  expect(all.length).toBeGreaterThanOrEqual(300);
  for (const { cases } of Object.values(groups)) expect(new Set(cases.map(({ name }) => name)).size).toBe(cases.length);
});

test('the service goes on as before', async () => {
  const created = await service.inject({
    method: 'POST',
    url: '/api/v1/widgets',
    headers: headersOf('editor', names),
    payload: { name: 'after all this' },
  });
  expect(created.statusCode).toBe(201);
  expect(service.logLines.filter((line) => line.includes('"status":500'))).toEqual([]);
});
