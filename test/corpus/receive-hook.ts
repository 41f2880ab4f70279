import {
  type CorpusCase,
  type ExpectedResponse,
  invalidAt,
  invalidAtEach,
  json,
  nestArrays,
  rejects,
  returns,
} from './corpus-case.ts';

const occurredAt = '2026-03-01T10:00:00Z';
const widgetId = '0197a0b0-0000-7000-8000-00000000abcd';
const makeHook = (changes: object) => ({ kind: 'updated', occurredAt, ...changes });
const withPayload = (payload: string) => `{"kind":"updated","occurredAt":"${occurredAt}","payload":${payload}}`;
const accepted = returns(202);
const invalidJson = rejects(400, 'invalid-json');
const invalidTime = invalidAt('#/occurredAt', 'format');
const tooEarly = invalidAt('#/occurredAt', 'too-small');
const tooLate = invalidAt('#/occurredAt', 'too-large');
const invalidWidgetId = invalidAt('#/widgetId', 'format');

const occurredAtRows: readonly (readonly [string, unknown, ExpectedResponse])[] = [
  ['an array', [occurredAt], invalidAt('#/occurredAt', 'type')],
  ['empty', '', invalidTime],
  ['a date', '2026-03-01', invalidTime],
  ['without a time zone', '2026-03-01T10:00:00', invalidTime],
  ['+01:00', '2026-03-01T10:00:00+01:00', invalidTime],
  ['+0000', '2026-03-01T10:00:00+0000', invalidTime],
  ['UTC', '2026-03-01T10:00:00UTC', invalidTime],
  ['a year of five digits', '12026-03-01T10:00:00Z', invalidTime],
  ['a signed year', '+002026-03-01T10:00:00Z', invalidTime],
  ['a negative year', '-0001-03-01T10:00:00Z', invalidTime],
  ['a comma before the fraction', '2026-03-01T10:00:00,5Z', invalidTime],
  ['spaces around', ' 2026-03-01T10:00:00Z ', invalidTime],
  ['a trailing line break', '2026-03-01T10:00:00Z\n', invalidTime],
  ['full-width digits', '２０２６-03-01T10:00:00Z', invalidTime],
  ['an ISO week date', '2026-W09-7T10:00:00Z', invalidTime],
  ['an e-mail date', 'Sun, 01 Mar 2026 10:00:00 GMT', invalidTime],
  ['a fraction of 60 000 digits', `2026-03-01T10:00:00.${'1'.repeat(60_000)}Z`, invalidTime],
  ['a fraction of 43 digits', `2026-03-01T10:00:00.${'1'.repeat(43)}Z`, accepted],
  ['nanoseconds', '2026-03-01T10:00:00.123456789Z', accepted],
  ['+00:00', '2026-03-01T10:00:00+00:00', accepted],
  ['the year 0', '0000-01-01T00:00:00Z', tooEarly],
  ['the year 1', '0001-01-01T00:00:00Z', tooEarly],
  ['the zero of Windows', '1601-01-01T00:00:00Z', tooEarly],
  ['a millisecond before 1970', '1969-12-31T23:59:59.999Z', tooEarly],
  ['the first moment of 1970', '1970-01-01T00:00:00Z', accepted],
  ['the year 9999', '9999-12-31T23:59:59Z', tooLate],
  ['25 hours ahead', new Date(Date.now() + 25 * 3_600_000).toISOString(), tooLate],
  ['23 hours ahead', new Date(Date.now() + 23 * 3_600_000).toISOString(), accepted],
  ['-00:00', '2026-03-01T10:00:00-00:00', invalidTime],
  ['the last day of Date', '275760-09-13T00:00:00Z', invalidTime],
];

const memberRows: readonly (readonly [string, unknown, ExpectedResponse])[] = [
  ['kind: in upper case', makeHook({ kind: 'Updated' }), invalidAt('#/kind', 'enum')],
  ['widget id: empty', makeHook({ widgetId: '' }), invalidWidgetId],
  ['widget id: with NUL', makeHook({ widgetId: `${widgetId}\u0000` }), invalidWidgetId],
  ['widget id: one character too long', makeHook({ widgetId: `${widgetId}0` }), invalidWidgetId],
  ['widget id: in upper case', makeHook({ widgetId: widgetId.toUpperCase() }), accepted],
  ['widget id: null', makeHook({ widgetId: null }), accepted],
  ['payload: false', makeHook({ payload: false }), invalidAt('#/payload', 'type')],
  ['payload: null', makeHook({ payload: null }), accepted],
  ['payload: empty', makeHook({ payload: {} }), accepted],
  ['unknown members', makeHook({ source: 'line 4', $where: 1, 'a.b': 1, id: 1 }), accepted],
  ['body: null', null, invalidAt('#', 'required')],
];

const bodyRows: readonly (readonly [string, string | Buffer, ExpectedResponse])[] = [
  ['an empty body', '', invalidAt('#', 'required')],
  ['truncated', '{"kind":"updated"', invalidJson],
  ['32 nested levels', withPayload(`{"a":${nestArrays(30)}}`), accepted],
  ['33 nested levels', withPayload(`{"a":${nestArrays(31)}}`), invalidJson],
  ['100 nested levels', withPayload(`{"a":${nestArrays(98)}}`), invalidJson],
  ['100 000 nested levels', withPayload(nestArrays(100_000)), rejects(400, 'payload-too-large')],
  ['a lone surrogate in the payload', withPayload('{"a":"\\udfff"}'), invalidJson],
  ['a lone surrogate in a member name', withPayload('{"\\udfff":1}'), invalidJson],
  ['an escaped NUL in the payload', withPayload('{"a\\u0000":"\\u0000"}'), accepted],
  ['a raw NUL in the payload', withPayload('{"a":"\u0000"}'), invalidJson],
  [
    '1e400 and other unusual numbers',
    withPayload('{"a":1e400,"b":-0,"c":0.1e-400,"d":12345678901234567890}'),
    accepted,
  ],
  ['query operators in the payload', withPayload('{"$set":{"a.b":1},"$where":"1","":0}'), accepted],
  ['__proto__ in the payload', withPayload('{"__proto__":{"a":1},"constructor":{"prototype":1}}'), accepted],
  ['__proto__ as the payload', `{"kind":"updated","occurredAt":"${occurredAt}","__proto__":{"payload":1}}`, accepted],
  [
    'all of it in __proto__',
    `{"__proto__":${JSON.stringify(makeHook({}))}}`,
    invalidAtEach(['#/kind', 'required'], ['#/occurredAt', 'required']),
  ],
  ['a payload twice', `{"kind":"updated","occurredAt":"${occurredAt}","payload":1,"payload":{}}`, accepted],
  ['a payload twice, the last a text', withPayload('{},"payload":"x"'), invalidAt('#/payload', 'type')],
  ['20 000 values', withPayload(`{"a":[${'1,'.repeat(19_999)}1]}`), accepted],
  ['a byte order mark', `\ufeff${withPayload('{}')}`, accepted],
  ['CESU-8', Buffer.from(withPayload('{"a":"\xed\xa0\xbd\xed\xb8\x80"}'), 'latin1'), invalidJson],
  ['64 KiB and a byte', withPayload(`"${'x'.repeat(65_536)}"`), rejects(400, 'payload-too-large')],
];

const tokenRows: readonly (readonly [string, string, ExpectedResponse])[] = [
  ['valid', '{hookToken}', accepted],
  ['replaced, within the overlap', '{endingHookToken}', accepted],
  ['unknown', '{unknownHookToken}', rejects(400, 'invalid-hook-token')],
  ['expired', '{expiredHookToken}', rejects(400, 'invalid-hook-token')],
  ['replaced, after the overlap', '{replacedHookToken}', rejects(400, 'invalid-hook-token')],
  ['revoked', '{revokedHookToken}', rejects(400, 'invalid-hook-token')],
  ['a stream token', '{streamToken}', rejects(400, 'invalid-hook-token')],
  ['in lower case', '{hookTokenInSmallLetters}', rejects(400, 'invalid-hook-token')],
  ['with a wrong checksum', '{hookTokenMistyped}', rejects(400, 'invalid-hook-token')],
  ['empty', '', rejects(400, 'invalid-hook-token')],
  ['a space', '%20', rejects(400, 'invalid-hook-token')],
  ['with a slash', '{hookToken}%2F', rejects(400, 'invalid-hook-token')],
  ['with NUL', '{hookToken}%00', rejects(400, 'invalid-hook-token')],
  ['with a line break', '{hookToken}%0A', rejects(400, 'invalid-hook-token')],
  ['with an invalid percent-encoding', '{hookToken}%', rejects(400, 'invalid-hook-token')],
  ['not UTF-8', '{hookToken}%ff', rejects(400, 'invalid-hook-token')],
  ['8 000 characters', 'a'.repeat(8_000), rejects(400, 'invalid-hook-token')],
  ['9 000 characters', 'a'.repeat(9_000), rejects(400, 'invalid-hook-token')],
  ['9 000 characters and a query', `${'a'.repeat(9_000)}?x=1`, rejects(400, 'invalid-hook-token')],
  ['valid, with a query', '{hookToken}?x=1&__proto__=1', accepted],
  ['valid, with a query of 9 000 characters', `{hookToken}?${'x'.repeat(9_000)}`, rejects(400, 'uri-too-long')],
  ['valid, followed by a path segment', '{hookToken}/more', rejects(404, 'not-found')],
];

type Headers = NonNullable<CorpusCase['headers']>;
const repeatedWebhookId: ExpectedResponse = {
  status: 400,
  code: 'invalid-request',
  mistakes: [{ header: 'Webhook-Id', code: 'repeated' }],
};

const headers: readonly (readonly [string, Headers, ExpectedResponse])[] = [
  ['media type: text/plain', { 'content-type': 'text/plain' }, rejects(400, 'unsupported-media-type')],
  [
    'media type: cloudevents+json',
    { 'content-type': 'application/cloudevents+json' },
    rejects(400, 'unsupported-media-type'),
  ],
  ['content encoding: gzip', { 'content-encoding': 'gzip' }, rejects(400, 'unsupported-media-type')],
  ['webhook-id: empty', { 'webhook-id': '' }, accepted],
  ['webhook-id: 5 000 characters', { 'webhook-id': 'i'.repeat(5_000) }, accepted],
  ['webhook-id: with a space', { 'webhook-id': 'two words' }, accepted],
  ['webhook-id: with an umlaut', { 'webhook-id': 'k\u00e4se' }, accepted],
  ['webhook-id: sent twice', { 'webhook-id': ['a', 'b'] }, repeatedWebhookId],
  ['webhook-id: sent twice with the same value', { 'webhook-id': ['a', 'a'] }, repeatedWebhookId],
  ['webhook-id: sent twice and empty', { 'webhook-id': ['', ''] }, repeatedWebhookId],
  [
    'webhook-id: empty, with an invalid idempotency key',
    { 'webhook-id': '', 'idempotency-key': '' },
    rejects(400, 'invalid-idempotency-key'),
  ],
  [
    'webhook-id: valid, with an invalid idempotency key',
    { 'webhook-id': 'a', 'idempotency-key': 'two words' },
    accepted,
  ],
  ['idempotency key: with a space', { 'idempotency-key': 'two words' }, rejects(400, 'invalid-idempotency-key')],
  ['idempotency key: sent twice', { 'idempotency-key': ['a', 'b'] }, rejects(400, 'invalid-idempotency-key')],
  [
    'signature: of an integration without signature',
    { 'webhook-signature': 'v1,x', 'webhook-timestamp': 'x' },
    accepted,
  ],
];

const toCase = (name: string, body: string | Buffer, expected: ExpectedResponse, extra: Headers = {}): CorpusCase => ({
  name,
  method: 'POST',
  url: '/api/v1/events/hooks/{hookToken}',
  headers: { ...json, ...extra },
  body,
  expected,
});

/** `POST /api/v1/events/hooks/{token}`. */
export const receiveHook: readonly CorpusCase[] = [
  ...occurredAtRows.map(([name, time, expected]) =>
    toCase(`occurredAt: ${name}`, JSON.stringify(makeHook({ occurredAt: time })), expected),
  ),
  ...memberRows.map(([name, body, expected]) => toCase(name, JSON.stringify(body), expected)),
  ...bodyRows.map(([name, body, expected]) => toCase(`JSON: ${name}`, body, expected)),
  ...headers.map(([name, extra, expected]) => toCase(name, JSON.stringify(makeHook({})), expected, extra)),
  ...tokenRows.map(([name, token, expected]) => ({
    ...toCase(`token: ${name}`, JSON.stringify(makeHook({})), expected),
    url: `/api/v1/events/hooks/${token}`,
  })),
  {
    ...toCase('token: malformed, with broken JSON', '{', rejects(400, 'invalid-hook-token')),
    url: '/api/v1/events/hooks/x',
  },
];
