import { answers, type CorpusAnswer, type CorpusCase, json, nestedArrays, refuses, wrongAt } from './corpus-case.ts';

const occurredAt = '2026-03-01T10:00:00Z';
const widgetId = '0197a0b0-0000-7000-8000-00000000abcd';
const event = (changes: object) => ({ kind: 'updated', occurredAt, ...changes });
const withPayload = (payload: string) => `{"kind":"updated","occurredAt":"${occurredAt}","payload":${payload}}`;
const accepted = answers(202);
const noJson = refuses(400, 'invalid-json');
const noTime = wrongAt('#/occurredAt', 'format');
const noId = wrongAt('#/widgetId', 'format');

const times: readonly (readonly [string, unknown, CorpusAnswer])[] = [
  ['none', undefined, wrongAt('#/occurredAt', 'required')],
  ['null', null, wrongAt('#/occurredAt', 'type')],
  ['a number', 1_767_225_600_000, wrongAt('#/occurredAt', 'type')],
  ['an array', [occurredAt], wrongAt('#/occurredAt', 'type')],
  ['a date of a database', { $date: occurredAt }, wrongAt('#/occurredAt', 'type')],
  ['empty', '', noTime],
  ['a date', '2026-03-01', noTime],
  ['no zone', '2026-03-01T10:00:00', noTime],
  ['no seconds', '2026-03-01T10:00Z', noTime],
  ['a blank for T', '2026-03-01 10:00:00Z', noTime],
  ['+01:00', '2026-03-01T10:00:00+01:00', noTime],
  ['-00:00', '2026-03-01T10:00:00-00:00', noTime],
  ['+0000', '2026-03-01T10:00:00+0000', noTime],
  ['UTC', '2026-03-01T10:00:00UTC', noTime],
  ['30 February', '2026-02-30T10:00:00Z', noTime],
  ['29 February of no leap year', '2026-02-29T10:00:00Z', noTime],
  ['month 13', '2026-13-01T10:00:00Z', noTime],
  ['month 0', '2026-00-01T10:00:00Z', noTime],
  ['day 0', '2026-03-00T10:00:00Z', noTime],
  ['hour 24', '2026-03-01T24:00:00Z', noTime],
  ['minute 60', '2026-03-01T10:60:00Z', noTime],
  ['second 60', '2016-12-31T23:59:60Z', noTime],
  ['a year of five digits', '12026-03-01T10:00:00Z', noTime],
  ['a signed year', '+002026-03-01T10:00:00Z', noTime],
  ['a negative year', '-0001-03-01T10:00:00Z', noTime],
  ['a comma', '2026-03-01T10:00:00,5Z', noTime],
  ['a dot alone', '2026-03-01T10:00:00.Z', noTime],
  ['blanks around', ' 2026-03-01T10:00:00Z ', noTime],
  ['a line break behind', '2026-03-01T10:00:00Z\n', noTime],
  ['full-width digits', '２０２６-03-01T10:00:00Z', noTime],
  ['a week', '2026-W09-7T10:00:00Z', noTime],
  ['of a mail', 'Sun, 01 Mar 2026 10:00:00 GMT', noTime],
  ['a fraction of 44 digits', `2026-03-01T10:00:00.${'1'.repeat(44)}Z`, noTime],
  ['a fraction of 60 000 digits', `2026-03-01T10:00:00.${'1'.repeat(60_000)}Z`, noTime],
  ['a fraction of 43 digits', `2026-03-01T10:00:00.${'1'.repeat(43)}Z`, accepted],
  ['nanoseconds', '2026-03-01T10:00:00.123456789Z', accepted],
  ['small letters', '2026-03-01t10:00:00z', accepted],
  ['+00:00', '2026-03-01T10:00:00+00:00', accepted],
  ['the year 0', '0000-01-01T00:00:00Z', accepted],
  ['the year 9999', '9999-12-31T23:59:59Z', accepted],
];

const members: readonly (readonly [string, unknown, CorpusAnswer])[] = [
  ['no kind', { occurredAt }, wrongAt('#/kind', 'required')],
  ['kind null', event({ kind: null }), wrongAt('#/kind', 'type')],
  ['kind unknown', event({ kind: 'deleted' }), wrongAt('#/kind', 'enum')],
  ['kind in capitals', event({ kind: 'Updated' }), wrongAt('#/kind', 'enum')],
  ['kind of a prototype', event({ kind: 'toString' }), wrongAt('#/kind', 'enum')],
  ['kind an array', event({ kind: ['updated'] }), wrongAt('#/kind', 'type')],
  ['widget id empty', event({ widgetId: '' }), noId],
  ['widget id a text', event({ widgetId: 'widget' }), noId],
  ['widget id a number', event({ widgetId: 7 }), wrongAt('#/widgetId', 'type')],
  ['widget id an operator', event({ widgetId: { $ne: null } }), wrongAt('#/widgetId', 'type')],
  ['widget id with NUL', event({ widgetId: `${widgetId}\u0000` }), noId],
  ['widget id one long', event({ widgetId: `${widgetId}0` }), noId],
  ['widget id in capitals', event({ widgetId: widgetId.toUpperCase() }), accepted],
  ['widget id null', event({ widgetId: null }), accepted],
  ['payload a text', event({ payload: 'x' }), wrongAt('#/payload', 'type')],
  ['payload a number', event({ payload: 1 }), wrongAt('#/payload', 'type')],
  ['payload false', event({ payload: false }), wrongAt('#/payload', 'type')],
  ['payload an array', event({ payload: [] }), wrongAt('#/payload', 'type')],
  ['payload null', event({ payload: null }), accepted],
  ['payload empty', event({ payload: {} }), accepted],
  ['more members', event({ source: 'line 4', $where: 1, 'a.b': 1, id: 1 }), accepted],
  ['an array', [event({})], wrongAt('#', 'type')],
  ['a text', 'updated', wrongAt('#', 'type')],
  ['null', null, wrongAt('#', 'required')],
];

const bodies: readonly (readonly [string, string | Buffer, CorpusAnswer])[] = [
  ['nothing', '', wrongAt('#', 'required')],
  ['broken off', '{"kind":"updated"', noJson],
  ['32 levels', withPayload(`{"a":${nestedArrays(30)}}`), accepted],
  ['33 levels', withPayload(`{"a":${nestedArrays(31)}}`), noJson],
  ['100 levels', withPayload(`{"a":${nestedArrays(98)}}`), noJson],
  ['100 000 levels', withPayload(nestedArrays(100_000)), refuses(400, 'payload-too-large')],
  ['a lone surrogate in the payload', withPayload('{"a":"\\udfff"}'), noJson],
  ['a lone surrogate in a name', withPayload('{"\\udfff":1}'), noJson],
  ['an escaped NUL in the payload', withPayload('{"a\\u0000":"\\u0000"}'), accepted],
  ['a raw NUL in the payload', withPayload('{"a":"\u0000"}'), noJson],
  ['1e400 and its like', withPayload('{"a":1e400,"b":-0,"c":0.1e-400,"d":12345678901234567890}'), accepted],
  ['operators', withPayload('{"$set":{"a.b":1},"$where":"1","":0}'), accepted],
  ['__proto__ in the payload', withPayload('{"__proto__":{"a":1},"constructor":{"prototype":1}}'), accepted],
  ['__proto__ as the payload', `{"kind":"updated","occurredAt":"${occurredAt}","__proto__":{"payload":1}}`, accepted],
  ['all of it in __proto__', `{"__proto__":${JSON.stringify(event({}))}}`, wrongAt('#/kind', 'required')],
  ['a payload twice', `{"kind":"updated","occurredAt":"${occurredAt}","payload":1,"payload":{}}`, accepted],
  ['a payload twice, the last a text', withPayload('{},"payload":"x"'), wrongAt('#/payload', 'type')],
  ['20 000 values', withPayload(`{"a":[${'1,'.repeat(19_999)}1]}`), accepted],
  ['a byte order mark', `\ufeff${withPayload('{}')}`, accepted],
  ['CESU-8', Buffer.from(withPayload('{"a":"\xed\xa0\xbd\xed\xb8\x80"}'), 'latin1'), noJson],
  ['64 KiB and a byte', withPayload(`"${'x'.repeat(65_536)}"`), refuses(400, 'payload-too-large')],
];

const tokens: readonly (readonly [string, string, CorpusAnswer])[] = [
  ['good', '{hookToken}', accepted],
  ['in its time', '{endingHookToken}', accepted],
  ['unknown', '{unknownHookToken}', refuses(400, 'invalid-hook-token')],
  ['expired', '{expiredHookToken}', refuses(400, 'invalid-hook-token')],
  ['replaced', '{replacedHookToken}', refuses(400, 'invalid-hook-token')],
  ['revoked', '{revokedHookToken}', refuses(400, 'invalid-hook-token')],
  ['of a stream', '{streamToken}', refuses(400, 'invalid-hook-token')],
  ['in small letters', '{hookTokenInSmallLetters}', refuses(400, 'invalid-hook-token')],
  ['with a wrong checksum', '{hookTokenMistyped}', refuses(400, 'invalid-hook-token')],
  ['empty', '', refuses(400, 'invalid-hook-token')],
  ['a blank', '%20', refuses(400, 'invalid-hook-token')],
  ['with a slash', '{hookToken}%2F', refuses(400, 'invalid-hook-token')],
  ['with NUL', '{hookToken}%00', refuses(400, 'invalid-hook-token')],
  ['with a line break', '{hookToken}%0A', refuses(400, 'invalid-hook-token')],
  ['broken by %', '{hookToken}%', refuses(400, 'invalid-hook-token')],
  ['not UTF-8', '{hookToken}%ff', refuses(400, 'invalid-hook-token')],
  ['of 8 000', 'a'.repeat(8_000), refuses(400, 'invalid-hook-token')],
  ['of 9 000', 'a'.repeat(9_000), refuses(400, 'invalid-hook-token')],
  ['of 9 000, then a query', `${'a'.repeat(9_000)}?x=1`, refuses(400, 'invalid-hook-token')],
  ['good, with a query', '{hookToken}?x=1&__proto__=1', accepted],
  ['good, with a query of 9 000', `{hookToken}?${'x'.repeat(9_000)}`, refuses(400, 'uri-too-long')],
  ['good, with a path behind', '{hookToken}/more', refuses(404, 'not-found')],
];

type Headers = NonNullable<CorpusCase['headers']>;
const twoIds: CorpusAnswer = {
  status: 400,
  code: 'invalid-request',
  mistake: { header: 'Webhook-Id', code: 'repeated' },
};

const headers: readonly (readonly [string, Headers, CorpusAnswer])[] = [
  ['text/plain', { 'content-type': 'text/plain' }, refuses(400, 'unsupported-media-type')],
  ['cloudevents+json', { 'content-type': 'application/cloudevents+json' }, refuses(400, 'unsupported-media-type')],
  ['gzip', { 'content-encoding': 'gzip' }, refuses(400, 'unsupported-media-type')],
  ['webhook-id empty', { 'webhook-id': '' }, accepted],
  ['webhook-id of 5 000', { 'webhook-id': 'i'.repeat(5_000) }, accepted],
  ['webhook-id with a blank', { 'webhook-id': 'two words' }, accepted],
  ['webhook-id with an umlaut', { 'webhook-id': 'k\u00e4se' }, accepted],
  ['webhook-id twice', { 'webhook-id': ['a', 'b'] }, twoIds],
  ['webhook-id twice alike', { 'webhook-id': ['a', 'a'] }, twoIds],
  ['webhook-id empty twice', { 'webhook-id': ['', ''] }, twoIds],
  [
    'webhook-id empty, and a wrong key',
    { 'webhook-id': '', 'idempotency-key': '' },
    refuses(400, 'invalid-idempotency-key'),
  ],
  ['webhook-id and a wrong key', { 'webhook-id': 'a', 'idempotency-key': 'two words' }, accepted],
  ['key with a blank', { 'idempotency-key': 'two words' }, refuses(400, 'invalid-idempotency-key')],
  ['key twice', { 'idempotency-key': ['a', 'b'] }, refuses(400, 'invalid-idempotency-key')],
  ['signature that nobody asked for', { 'webhook-signature': 'v1,x', 'webhook-timestamp': 'x' }, accepted],
];

const toCase = (name: string, body: string | Buffer, expected: CorpusAnswer, extra: Headers = {}): CorpusCase => ({
  name,
  method: 'POST',
  url: '/api/v1/events/hooks/{hookToken}',
  headers: { ...json, ...extra },
  body,
  expected,
});

/** `POST /api/v1/events/hooks/{token}`. */
export const receiveHook: readonly CorpusCase[] = [
  ...times.map(([name, time, expected]) =>
    toCase(`occurredAt: ${name}`, JSON.stringify(event({ occurredAt: time })), expected),
  ),
  ...members.map(([name, body, expected]) => toCase(name, JSON.stringify(body), expected)),
  ...bodies.map(([name, body, expected]) => toCase(`JSON: ${name}`, body, expected)),
  ...headers.map(([name, extra, expected]) => toCase(name, JSON.stringify(event({})), expected, extra)),
  ...tokens.map(([name, token, expected]) => ({
    ...toCase(`token: ${name}`, JSON.stringify(event({})), expected),
    url: `/api/v1/events/hooks/${token}`,
  })),
  {
    ...toCase('a wrong token: the body is not read', '{', refuses(400, 'invalid-hook-token')),
    url: '/api/v1/events/hooks/x',
  },
];
