import { beforeAll, describe, expect, test } from 'vitest';
import { type CheckedAnswer, createAnswerCheck } from '../../drivers/check-answer.ts';
import { fetchOpenApiDocument } from '../../drivers/openapi-document.ts';
import { openTestApp } from '../../drivers/test-app.ts';
import { openTestService } from '../../drivers/test-service.ts';

const requestId = '019ab2c4-6d1e-7f3a-9b58-2c7d4e6f8a01';

let check: (answer: CheckedAnswer) => void;
beforeAll(async () => {
  const service = await openTestService();
  check = createAnswerCheck(await fetchOpenApiDocument(service));
  await service.close();
});

const widget = {
  id: requestId,
  name: 'Pump 7',
  state: 'active',
  labels: [],
  owner: null,
  createdAt: '2026-03-01T09:30:00.000Z',
  updatedAt: '2026-03-01T09:30:00.000Z',
  retiredAt: null,
  lastEventAt: null,
  version: 1,
};
const json = { 'x-request-id': requestId, 'content-type': 'application/json; charset=utf-8' };

function created(body: object = widget, headers: CheckedAnswer['headers'] = {}): CheckedAnswer {
  return {
    method: 'POST',
    url: '/api/v1/widgets?x=1',
    statusCode: 201,
    headers: { ...json, location: `widgets/${requestId}`, ...headers },
    body: JSON.stringify(body),
  };
}

function refused(status: number, code: string, headers: CheckedAnswer['headers'] = {}): CheckedAnswer {
  const instance = `urn:uuid:${requestId}`;
  const body = { type: `/problems/${code}`, title: 'T', status, detail: 'D', instance, code, requestId };
  return {
    ...created(body),
    statusCode: status,
    headers: { 'x-request-id': requestId, 'content-type': 'application/problem+json', ...headers },
  };
}

describe('an answer passes', () => {
  test.each([
    ['as described', created()],
    ['with a header that it may have', created(widget, { 'idempotent-replayed': 'true' })],
    ['a described refusal', refused(409, 'idempotency-key-reused')],
    ['a refusal of what is no request yet', refused(400, 'uri-too-long')],
    ['the document itself', { ...created(), method: 'GET', url: '/api/v1/openapi.json' }],
    ['no such path', { ...refused(404, 'not-found'), url: '/api/v1/nothing' }],
    ['no such method', { ...refused(405, 'method-not-allowed'), method: 'PUT' }],
  ])('%s', (_name, answer) => {
    expect(() => check(answer)).not.toThrow();
  });
});

describe('an answer fails', () => {
  const { version: _, ...withoutVersion } = widget;
  test.each([
    ['whose status is not declared', refused(404, 'not-found'), 'the status is not declared'],
    ['whose code is not declared', refused(400, 'invalid-hook-token'), 'the code "invalid-hook-token" is not declared'],
    ['that lacks a member', created(withoutVersion), "must have required property 'version'"],
    ['with a member that nobody described', created({ ...widget, secret: 1 }), 'must NOT have additional properties'],
    ['with a member deep inside', created({ ...widget, owner: { secret: 1 } }), '/owner'],
    ['with a wrong type', created({ ...widget, version: '1' }), '/version must be integer'],
    ['with a wrong format', created({ ...widget, createdAt: 'yesterday' }), '/createdAt must match format'],
    ['of another type', created(widget, { 'content-type': 'text/plain' }), 'its type text/plain is not declared'],
    ['that lacks a header', created(widget, { location: undefined }), 'the header Location is missing'],
    ['with a header that is not declared', created(widget, { link: '<?page=1>' }), 'the header Link is not declared'],
    ['without a time to wait', refused(503, 'unavailable'), 'the header Retry-After is missing'],
    ['with no time to wait', refused(503, 'unavailable', { 'retry-after': '0' }), 'Retry-After:'],
    ['of an operation that is not described', { ...created(), url: '/api/v1/gadgets' }, 'is not described'],
  ])('%s', (_name, answer, reason) => {
    expect(() => check(answer)).toThrow(reason);
  });
});

test('every answer that a test gets by injection is checked', async () => {
  const service = await openTestApp({
    replace: () => ({
      widgets: {
        get: async (id: string) => ({ ...widget, id, createdAt: new Date(), updatedAt: new Date(), version: 0 }),
      } as never,
    }),
  });
  const { cookie } = await service.signedIn('viewer');
  const answer = service.inject({ method: 'GET', url: `/api/v1/widgets/${requestId}`, headers: { cookie } });
  await expect(answer).rejects.toThrow('unlike example.widgets.get is described:\n- /version must be >= 1');
  await service.close();
});
