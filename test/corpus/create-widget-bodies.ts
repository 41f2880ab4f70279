import { gzipSync } from 'node:zlib';
import {
  type CorpusCase,
  type ExpectedResponse,
  invalidAt,
  json,
  nestArrays,
  rejects,
  returns,
} from './corpus-case.ts';

const validBody = '{"name":"x"}';
const accepted = returns(201);
const invalidJson = rejects(400, 'invalid-json');
const unsupportedType = rejects(400, 'unsupported-media-type');
const invalidKey: ExpectedResponse = {
  status: 400,
  code: 'invalid-idempotency-key',
  mistakes: [{ header: 'Idempotency-Key', code: 'format' }],
};
const repeatedKey = { ...invalidKey, mistakes: [{ header: 'Idempotency-Key', code: 'repeated' }] } as const;
const nestName = (levels: number) => `{"name":${nestArrays(levels - 1)}}`;
const padTo = (bytes: number) => `{"name":"x"${' '.repeat(bytes - 12)}}`;
const withName = (text: string) => `{"name":"${text}"}`;

const texts: readonly (readonly [string, string | Buffer, ExpectedResponse])[] = [
  ['an empty body', '', invalidAt('#', 'required')],
  ['white space only', '  \n', invalidJson],
  ['truncated', '{"name":', invalidJson],
  ['truncated inside a string', '{"name":"x', invalidJson],
  ['two values', '{"name":"x"} {"name":"y"}', invalidJson],
  ['two values on two lines', '{"name":"x"}\n{"name":"y"}\n', invalidJson],
  ['a trailing comma', '{"name":"x",}', invalidJson],
  ['a comment', '{"name":"x"} // why', invalidJson],
  ['single quotes', "{'name':'x'}", invalidJson],
  ['no quotes', '{name:"x"}', invalidJson],
  ['form data', 'name=x', invalidJson],
  ['XML', '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><x>&e;</x>', invalidJson],
  ['undefined', 'undefined', invalidJson],
  ['NaN', '{"name":NaN}', invalidJson],
  ['Infinity', '{"name":-Infinity}', invalidJson],
  ['a leading zero', '{"name":01}', invalidJson],
  ['a leading plus', '{"name":+1}', invalidJson],
  ['a hexadecimal number', '{"name":0x10}', invalidJson],
  ['1e400', '{"name":1e400}', invalidAt('#/name', 'type')],
  ['-0', '{"name":-0}', invalidAt('#/name', 'type')],
  ['a number of 1 000 digits', `{"name":${'9'.repeat(1_000)}}`, invalidAt('#/name', 'type')],
  ['a raw line break in a string', '{"name":"a\nb"}', invalidJson],
  ['a raw NUL in a string', '{"name":"a\u0000b"}', invalidJson],
  ['a trailing raw NUL', `${validBody}\u0000`, invalidJson],
  ['a truncated escape', withName('\\u12'), invalidJson],
  ['an unknown escape', withName('\\x41'), invalidJson],
  ['a lone high surrogate', withName('\\ud800'), invalidJson],
  ['a lone low surrogate', withName('\\udc00'), invalidJson],
  ['a low surrogate before a high one', withName('\\udc00\\ud800'), invalidJson],
  ['a lone surrogate in a member name', '{"name":"x","\\ud800":1}', invalidJson],
  ['a pair of escaped surrogates', withName('\\ud83e\\udd84'), accepted],
  ['a byte that is not UTF-8', Buffer.from([0x22, 0xff, 0x22]), invalidJson],
  ['an overlong NUL', Buffer.from('{"name":"\xc0\x80"}', 'latin1'), invalidJson],
  ['a surrogate encoded in UTF-8', Buffer.from('{"name":"\xed\xa0\x80"}', 'latin1'), invalidJson],
  ['a truncated character at the end', Buffer.from('{"name":"x"}\xe2\x82', 'latin1'), invalidJson],
  ['UTF-16', Buffer.from(validBody, 'utf16le'), invalidJson],
  ['UTF-16 with a byte order mark', Buffer.from(`\ufeff${validBody}`, 'utf16le'), invalidJson],
  ['a byte order mark', `\ufeff${validBody}`, accepted],
  ['a byte order mark only', '\ufeff', invalidJson],
  ['two byte order marks', `\ufeff\ufeff${validBody}`, invalidJson],
  ['a trailing byte order mark', `${validBody}\ufeff`, invalidJson],
  ['32 nested levels', nestName(32), invalidAt('#/name', 'type')],
  ['33 nested levels', nestName(33), invalidJson],
  ['33 nested levels after an escaped quote', `{"name":["\\"",${nestArrays(31)}]}`, invalidJson],
  ['100 nested levels', nestName(100), invalidJson],
  ['30 000 nested levels', nestName(30_000), invalidJson],
  ['60 000 arrays that are not closed', '['.repeat(60_000), invalidJson],
  ['12 000 objects that are not closed', '{"a":'.repeat(12_000), invalidJson],
  ['100 000 nested levels', nestName(100_000), rejects(400, 'payload-too-large')],
  ['40 brackets in a string', withName('['.repeat(40)), accepted],
  ['60 000 closing brackets', ']'.repeat(60_000), invalidJson],
  ['64 KiB', padTo(65_536), accepted],
  ['64 KiB and one byte', padTo(65_537), rejects(400, 'payload-too-large')],
  ['1 MiB', padTo(1_048_576), rejects(400, 'payload-too-large')],
  ['30 000 values', `{"name":"x","labels":[${'0,'.repeat(29_999)}0]}`, rejects(400, 'payload-too-large')],
  ['10 000 members', `{"name":"x"${',"":0'.repeat(10_000)}}`, rejects(400, 'payload-too-large')],
  ['10 000 commas in a string', withName(','.repeat(10_000)), invalidAt('#/name', 'too-long')],
  ['a duplicate member whose last value is valid', '{"name":1,"name":"x"}', accepted],
  ['a duplicate member whose last value is invalid', '{"name":"x","name":1}', invalidAt('#/name', 'type')],
  ['a duplicate member with one escaped name', '{"name":"x","n\\u0061me":1}', invalidAt('#/name', 'type')],
  ['__proto__', '{"name":"x","__proto__":{"state":"retired"}}', invalidJson],
  ['__proto__ as the only member', '{"__proto__":{"name":"x"}}', invalidJson],
  ['an escaped __proto__', '{"name":"x","\\u005f\\u005fproto__":{}}', invalidJson],
  ['__proto__ in the owner', '{"name":"x","owner":{"__proto__":{"role":"admin"}}}', invalidJson],
  ['constructor.prototype', '{"name":"x","constructor":{"prototype":{"isAdmin":true}}}', invalidJson],
  ['constructor.prototype, escaped', '{"name":"x","constructor":{"\\u0070rototype":1}}', invalidJson],
  ['prototype without constructor', '{"name":"x","prototype":{}}', invalidAt('#/prototype', 'unknown-field')],
];

const types: readonly (readonly [string, Readonly<Record<string, string>>, ExpectedResponse])[] = [
  ['text/plain', { 'content-type': 'text/plain' }, unsupportedType],
  ['text/json', { 'content-type': 'text/json' }, unsupportedType],
  ['form data', { 'content-type': 'application/x-www-form-urlencoded' }, unsupportedType],
  ['multipart', { 'content-type': 'multipart/form-data; boundary=x' }, unsupportedType],
  ['problem+json', { 'content-type': 'application/problem+json' }, unsupportedType],
  ['merge-patch+json', { 'content-type': 'application/merge-patch+json' }, unsupportedType],
  ['no media type at all', { 'content-type': 'nonsense' }, unsupportedType],
  ['any type', { 'content-type': '*/*' }, unsupportedType],
  ['two media types', { 'content-type': 'application/json, text/plain' }, unsupportedType],
  ['a type without a subtype', { 'content-type': 'application' }, unsupportedType],
  ['application/jsonp', { 'content-type': 'application/jsonp' }, unsupportedType],
  ['the charset latin1', { 'content-type': 'application/json; charset=latin1' }, unsupportedType],
  ['the charset UTF-16', { 'content-type': 'application/json; charset=utf-16' }, unsupportedType],
  ['the content encoding gzip', { ...json, 'content-encoding': 'gzip' }, unsupportedType],
  ['an unknown content encoding', { ...json, 'content-encoding': 'x' }, unsupportedType],
  ['two content encodings', { ...json, 'content-encoding': 'identity, gzip' }, unsupportedType],
  ['in mixed case', { 'content-type': 'Application/JSON' }, accepted],
  ['the quoted charset UTF-8', { 'content-type': 'application/json; charset="UTF-8"' }, accepted],
  ['the charset utf8', { 'content-type': 'application/json;charset=utf8' }, accepted],
  ['the charset us-ascii', { 'content-type': 'application/json; charset=us-ascii' }, accepted],
  ["the charset 'utf-8'", { 'content-type': "application/json; charset='utf-8'" }, accepted],
  ['an empty charset', { 'content-type': 'application/json; charset=' }, accepted],
  ['an empty content encoding', { ...json, 'content-encoding': '' }, accepted],
  ['another parameter', { 'content-type': 'application/json; version=1' }, accepted],
  ['the content encoding identity', { ...json, 'content-encoding': 'identity' }, accepted],
];

const keys: readonly (readonly [string, string | string[], ExpectedResponse])[] = [
  ['empty', '', invalidKey],
  ['empty in quotes', '""', invalidKey],
  ['256 characters', 'k'.repeat(256), invalidKey],
  ['with a space', 'two words', invalidKey],
  ['with a tab', 'a\tb', invalidKey],
  ['with an umlaut', 'k\u00e4se', invalidKey],
  ['sent twice', ['a', 'b'], repeatedKey],
  ['sent twice with the same value', ['a', 'a'], repeatedKey],
  ['255 characters', 'k'.repeat(255), accepted],
  ['255 characters in quotes', `"${'q'.repeat(255)}"`, accepted],
  ['one quote', '"', accepted],
  ['a query operator', '$where', accepted],
  ['__proto__', '__proto__', accepted],
];

const toCase = (name: string, headers: CorpusCase['headers'], body: string | Buffer, expected: ExpectedResponse) =>
  ({
    name,
    method: 'POST',
    url: '/api/v1/widgets',
    caller: 'editor',
    headers: { ...headers },
    body,
    expected,
  }) as const;

/** `POST /api/v1/widgets`: JSON syntax, media type, size and the idempotency key. */
export const createWidgetBodies: readonly CorpusCase[] = [
  ...texts.map(([name, body, expected]) => toCase(`JSON: ${name}`, json, body, expected)),
  ...types.map(([name, headers, expected]) => toCase(`media type: ${name}`, headers, validBody, expected)),
  toCase('media type: none', {}, Buffer.from(validBody), unsupportedType),
  toCase('media type: none, without a body', {}, '', invalidAt('#', 'required')),
  toCase('media type: text/plain without a body', { 'content-type': 'text/plain' }, '', invalidAt('#', 'required')),
  toCase(
    'a gzip body with its Content-Encoding',
    { ...json, 'content-encoding': 'gzip' },
    gzipSync(validBody),
    unsupportedType,
  ),
  toCase('a gzip body without a Content-Encoding', json, gzipSync(validBody), invalidJson),
  ...keys.map(([name, key, expected]) =>
    toCase(`idempotency key: ${name}`, { ...json, 'idempotency-key': key }, validBody, expected),
  ),
];
