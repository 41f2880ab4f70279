import type { AddressInfo } from 'node:net';
import { afterAll, describe, expect, test } from 'vitest';
import { type CorpusCase, describeResponse } from '../../corpus/corpus-case.ts';
import { expandVariables, issueVariables, makeAuthHeaders } from '../../corpus/corpus-variables.ts';
import { createWidgetBodies } from '../../corpus/create-widget-bodies.ts';
import { createWidgetCredentials } from '../../corpus/create-widget-credentials.ts';
import { createWidgetFields } from '../../corpus/create-widget-fields.ts';
import { deliveries, quarantine } from '../../corpus/deliveries.ts';
import { describeMembers } from '../../corpus/described-members.ts';
import { manageGrants } from '../../corpus/manage-grants.ts';
import { manageUsers } from '../../corpus/manage-users.ts';
import { otherPaths, session } from '../../corpus/other-paths.ts';
import { getWidget, listWidgets } from '../../corpus/read-widgets.ts';
import { receiveHook } from '../../corpus/receive-hook.ts';
import { expectProblem } from '../../drivers/app/expect-problem.ts';
import { openSharedApp } from '../../drivers/app/open-shared.ts';
import type { OpenApiDocument } from '../../drivers/app/openapi-document.ts';
import type { TestResponse } from '../../drivers/app/test-app.ts';
import { collectSentValues } from './collect-sent-values.ts';
import { listOperations } from './described-operation.ts';
import { createHttpSender } from './http-sender.ts';

const service = await openSharedApp();
const variables = await issueVariables(service.backend);
await service.app.listen({ host: '127.0.0.1', port: 0 });
const http = createHttpSender(`http://127.0.0.1:${(service.app.server.address() as AddressInfo).port}`);
afterAll(() => http.close());
const described = (await service.get('/api/v1/openapi.json')).json() as OpenApiDocument;

/** `inject` normalizes URLs, so the groups with malformed URLs use a socket. */
const groups: Readonly<Record<string, { cases: readonly CorpusCase[]; isOverSocket?: boolean }>> = {
  'each member and parameter of the document': { cases: describeMembers(listOperations(described)) },
  'GET /api/v1/widgets': { cases: listWidgets },
  'GET /api/v1/widgets/{id}': { cases: getWidget, isOverSocket: true },
  'POST /api/v1/widgets: members': { cases: createWidgetFields },
  'POST /api/v1/widgets: body': { cases: createWidgetBodies },
  'POST /api/v1/widgets: credentials': { cases: createWidgetCredentials },
  'POST /api/v1/events/hooks/{token}': { cases: receiveHook, isOverSocket: true },
  '/api/v1/session': { cases: session },
  'subscriptions, integrations and provision tokens': { cases: manageGrants },
  '/api/v1/integrations/{id}/deliveries': { cases: deliveries, isOverSocket: true },
  '/api/v1/quarantine': { cases: quarantine, isOverSocket: true },
  'users, passwords and sessions': { cases: manageUsers },
  'other paths': { cases: otherPaths, isOverSocket: true },
};

async function send(
  { method, url, caller, headers = {}, body: text }: CorpusCase,
  isOverSocket: boolean,
): Promise<TestResponse> {
  const body = typeof text === 'string' ? expandVariables(text, variables) : text;
  const filledHeaders = Object.entries(headers).map(([name, value]) => [
    name,
    typeof value === 'string'
      ? expandVariables(value, variables)
      : value.map((item) => expandVariables(item, variables)),
  ]);
  const all = {
    ...(caller === undefined ? {} : makeAuthHeaders(caller, variables)),
    ...Object.fromEntries(filledHeaders),
  };
  const path = expandVariables(url, variables);
  if (isOverSocket) {
    const response = await http.send({ method, path, headers: all, ...(body === undefined ? {} : { body }) });
    service.checkAnswer({ method, url: path, ...response });
    return response;
  }
  return service.inject({ method, url: path, headers: all, ...(body === undefined ? {} : { payload: body }) });
}

describe.each(Object.entries(groups))('%s', (_, { cases, isOverSocket = false }) => {
  const titled = cases.map((corpusCase) => {
    return [describeResponse(corpusCase.expected), corpusCase.name, corpusCase] as const;
  });
  test.each(titled)('%s for %s', async (_response, _name, corpusCase) => {
    const response = await send(corpusCase, isOverSocket);
    const { status, code, mistakes, allow } = corpusCase.expected;
    if (code === undefined) {
      expect(response.statusCode, response.body).toBe(status);
      return;
    }
    expectProblem(response, { status, code, ...(mistakes === undefined ? {} : { errors: mistakes }) });
    if (allow !== undefined) expect(response.headers.allow).toBe(allow);
    expect(collectSentValues(corpusCase, variables).filter((value) => response.body.includes(value))).toEqual([]);
  });
});

test('the corpus has at least 1 400 cases, with a unique name in each group', () => {
  const allCases = Object.values(groups).flatMap(({ cases }) => cases);
  expect(allCases.length).toBeGreaterThanOrEqual(1_400);
  for (const { cases } of Object.values(groups)) expect(new Set(cases.map(({ name }) => name)).size).toBe(cases.length);
});

test('the service still creates widgets and logged no 500 after all cases', async () => {
  const created = await service.post(
    '/api/v1/widgets',
    { name: 'after the corpus' },
    makeAuthHeaders('editor', variables),
  );
  expect(created.statusCode).toBe(201);
  expect(service.logLines.filter((line) => line.includes('"status":500'))).toEqual([]);
});
