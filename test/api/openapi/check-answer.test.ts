import { describe, expect, test } from 'vitest';
import { type CheckedAnswer, createAnswerCheck } from '../../drivers/app/check-answer.ts';
import { fetchOpenApiDocument } from '../../drivers/app/openapi-document.ts';
import { openTestApp } from '../../drivers/app/test-app.ts';
import { openTestService } from '../../drivers/app/test-service.ts';

const requestId = '019ab2c4-6d1e-7f3a-9b58-2c7d4e6f8a01';

const service = await openTestService();
const check = createAnswerCheck(await fetchOpenApiDocument(service));
await service.close();

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

function makeCreated(body: object = widget, headers: CheckedAnswer['headers'] = {}): CheckedAnswer {
  return {
    method: 'POST',
    url: '/api/v1/widgets?x=1',
    statusCode: 201,
    headers: { ...json, location: `widgets/${requestId}`, ...headers },
    body: JSON.stringify(body),
  };
}

function makeProblem(status: number, code: string, headers: CheckedAnswer['headers'] = {}): CheckedAnswer {
  const instance = `urn:uuid:${requestId}`;
  const body = { type: `/problems/${code}`, title: 'T', status, detail: 'D', instance, code, requestId };
  return {
    ...makeCreated(body),
    statusCode: status,
    headers: { 'x-request-id': requestId, 'content-type': 'application/problem+json', ...headers },
  };
}

describe('the response check accepts', () => {
  test.each([
    ['a response as described', makeCreated()],
    ['an optional header', makeCreated(widget, { 'idempotent-replayed': 'true' })],
    ['a described problem', makeProblem(409, 'idempotency-key-reused')],
    ['a problem that occurs before routing', makeProblem(400, 'uri-too-long')],
    ['the document itself', { ...makeCreated(), method: 'GET', url: '/api/v1/openapi.json' }],
    ['a 404 of an unknown path', { ...makeProblem(404, 'not-found'), url: '/api/v1/nothing' }],
    ['a 405 of an unknown method', { ...makeProblem(405, 'method-not-allowed'), method: 'PUT' }],
  ])('%s', (_name, answer) => {
    expect(() => check(answer)).not.toThrow();
  });
});

describe('the response check rejects', () => {
  const { version: _, ...withoutVersion } = widget;
  test.each([
    ['an undeclared status', makeProblem(404, 'not-found'), 'the status is not declared'],
    [
      'an undeclared problem code',
      makeProblem(400, 'invalid-hook-token'),
      'the code "invalid-hook-token" is not declared',
    ],
    ['a missing member', makeCreated(withoutVersion), "must have required property 'version'"],
    ['an undescribed member', makeCreated({ ...widget, secret: 1 }), 'must NOT have additional properties'],
    ['an undescribed nested member', makeCreated({ ...widget, owner: { secret: 1 } }), '/owner'],
    ['a member of the wrong type', makeCreated({ ...widget, version: '1' }), '/version must be integer'],
    [
      'a member of the wrong format',
      makeCreated({ ...widget, createdAt: 'yesterday' }),
      '/createdAt must match format',
    ],
    [
      'an undeclared media type',
      makeCreated(widget, { 'content-type': 'text/plain' }),
      'the content type text/plain is not declared',
    ],
    ['a missing header', makeCreated(widget, { location: undefined }), 'the header Location is missing'],
    ['an undeclared header', makeCreated(widget, { link: '<?page=1>' }), 'the header Link is not declared'],
    ['a 503 without Retry-After', makeProblem(503, 'unavailable'), 'the header Retry-After is missing'],
    ['a 503 with a Retry-After of 0', makeProblem(503, 'unavailable', { 'retry-after': '0' }), 'Retry-After:'],
    ['an undescribed operation', { ...makeCreated(), url: '/api/v1/gadgets' }, 'the document does not describe it'],
  ])('%s', (_name, answer, reason) => {
    expect(() => check(answer)).toThrow(reason);
  });
});

test('inject() of a test app rejects a response that does not match the document', async () => {
  const service = await openTestApp({
    replace: () => ({
      widgets: {
        get: async (id: string) => ({ ...widget, id, createdAt: new Date(), updatedAt: new Date(), version: 0 }),
      } as never,
    }),
  });
  const { cookie } = await service.signedIn('viewer');
  const answer = service.get(`/api/v1/widgets/${requestId}`, { cookie });
  await expect(answer).rejects.toThrow('differs from the document (example.widgets.get):\n- /version must be >= 1');
  await service.close();
});
