import { gzipSync } from 'node:zlib';
import { answers, type CorpusAnswer, type CorpusCase, json, nestedArrays, refuses, wrongAt } from './corpus-case.ts';

const good = '{"name":"x"}';
const accepted = answers(201);
const noJson = refuses(400, 'invalid-json');
const noType = refuses(400, 'unsupported-media-type');
const noKey: CorpusAnswer = {
  status: 400,
  code: 'invalid-idempotency-key',
  mistake: { header: 'Idempotency-Key', code: 'format' },
};
const deep = (levels: number) => `{"name":${nestedArrays(levels - 1)}}`;
const sized = (bytes: number) => `{"name":"x"${' '.repeat(bytes - 12)}}`;
const named = (text: string) => `{"name":"${text}"}`;

const texts: readonly (readonly [string, string | Buffer, CorpusAnswer])[] = [
  ['nothing', '', wrongAt('#', 'required')],
  ['blanks', '  \n', noJson],
  ['broken off', '{"name":', noJson],
  ['broken off in a text', '{"name":"x', noJson],
  ['two values', '{"name":"x"} {"name":"y"}', noJson],
  ['one value a line', '{"name":"x"}\n{"name":"y"}\n', noJson],
  ['a trailing comma', '{"name":"x",}', noJson],
  ['a comment', '{"name":"x"} // why', noJson],
  ['single quotes', "{'name':'x'}", noJson],
  ['no quotes', '{name:"x"}', noJson],
  ['a form', 'name=x', noJson],
  ['XML', '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><x>&e;</x>', noJson],
  ['undefined', 'undefined', noJson],
  ['NaN', '{"name":NaN}', noJson],
  ['Infinity', '{"name":-Infinity}', noJson],
  ['a leading zero', '{"name":01}', noJson],
  ['a leading plus', '{"name":+1}', noJson],
  ['a hexadecimal number', '{"name":0x10}', noJson],
  ['1e400', '{"name":1e400}', wrongAt('#/name', 'type')],
  ['-0', '{"name":-0}', wrongAt('#/name', 'type')],
  ['a number of 1 000 digits', `{"name":${'9'.repeat(1_000)}}`, wrongAt('#/name', 'type')],
  ['a raw line break in a text', '{"name":"a\nb"}', noJson],
  ['a raw NUL in a text', '{"name":"a\u0000b"}', noJson],
  ['a raw NUL behind', `${good}\u0000`, noJson],
  ['half an escape', named('\\u12'), noJson],
  ['an unknown escape', named('\\x41'), noJson],
  ['a lone high surrogate', named('\\ud800'), noJson],
  ['a lone low surrogate', named('\\udc00'), noJson],
  ['surrogates the wrong way round', named('\\udc00\\ud800'), noJson],
  ['a lone surrogate in a name', '{"name":"x","\\ud800":1}', noJson],
  ['a pair of escaped surrogates', named('\\ud83e\\udd84'), accepted],
  ['a byte that is no UTF-8', Buffer.from([0x22, 0xff, 0x22]), noJson],
  ['an overlong NUL', Buffer.from('{"name":"\xc0\x80"}', 'latin1'), noJson],
  ['a surrogate in UTF-8', Buffer.from('{"name":"\xed\xa0\x80"}', 'latin1'), noJson],
  ['half a character at the end', Buffer.from('{"name":"x"}\xe2\x82', 'latin1'), noJson],
  ['UTF-16', Buffer.from(good, 'utf16le'), noJson],
  ['UTF-16 with a byte order mark', Buffer.from(`\ufeff${good}`, 'utf16le'), noJson],
  ['a byte order mark', `\ufeff${good}`, accepted],
  ['a byte order mark alone', '\ufeff', noJson],
  ['two byte order marks', `\ufeff\ufeff${good}`, noJson],
  ['a byte order mark behind', `${good}\ufeff`, noJson],
  ['32 levels', deep(32), wrongAt('#/name', 'type')],
  ['33 levels', deep(33), noJson],
  ['100 levels', deep(100), noJson],
  ['30 000 levels', deep(30_000), noJson],
  ['60 000 levels, never closed', '['.repeat(60_000), noJson],
  ['60 000 objects, never closed', '{"a":'.repeat(12_000), noJson],
  ['100 000 levels', deep(100_000), refuses(400, 'payload-too-large')],
  ['40 levels of brackets in a text', named('['.repeat(40)), accepted],
  ['closing brackets', ']'.repeat(60_000), noJson],
  ['64 KiB', sized(65_536), accepted],
  ['64 KiB and a byte', sized(65_537), refuses(400, 'payload-too-large')],
  ['1 MiB', sized(1_048_576), refuses(400, 'payload-too-large')],
  ['30 000 values', `{"name":"x","labels":[${'0,'.repeat(29_999)}0]}`, refuses(400, 'payload-too-large')],
  ['10 000 members', `{"name":"x"${',"":0'.repeat(10_000)}}`, refuses(400, 'payload-too-large')],
  ['10 000 commas in a text', named(','.repeat(10_000)), wrongAt('#/name', 'too-long')],
  ['a name twice, the last one counts', '{"name":1,"name":"x"}', accepted],
  ['a name twice, the last one wrong', '{"name":"x","name":1}', wrongAt('#/name', 'type')],
  ['a name twice, one escaped', '{"name":"x","n\\u0061me":1}', wrongAt('#/name', 'type')],
  ['__proto__', '{"name":"x","__proto__":{"state":"retired"}}', noJson],
  ['__proto__ alone', '{"__proto__":{"name":"x"}}', noJson],
  ['__proto__ escaped', '{"name":"x","\\u005f\\u005fproto__":{}}', noJson],
  ['__proto__ of the owner', '{"name":"x","owner":{"__proto__":{"role":"admin"}}}', noJson],
  ['constructor.prototype', '{"name":"x","constructor":{"prototype":{"isAdmin":true}}}', noJson],
  ['prototype alone', '{"name":"x","prototype":{}}', wrongAt('#/prototype', 'unknown-field')],
];

const types: readonly (readonly [string, Readonly<Record<string, string>>, CorpusAnswer])[] = [
  ['text/plain', { 'content-type': 'text/plain' }, noType],
  ['text/json', { 'content-type': 'text/json' }, noType],
  ['a form', { 'content-type': 'application/x-www-form-urlencoded' }, noType],
  ['multipart', { 'content-type': 'multipart/form-data; boundary=x' }, noType],
  ['problem+json', { 'content-type': 'application/problem+json' }, noType],
  ['merge-patch+json', { 'content-type': 'application/merge-patch+json' }, noType],
  ['any type', { 'content-type': '*/*' }, noType],
  ['two types', { 'content-type': 'application/json, text/plain' }, noType],
  ['half a type', { 'content-type': 'application' }, noType],
  ['a longer type', { 'content-type': 'application/jsonp' }, noType],
  ['latin1', { 'content-type': 'application/json; charset=latin1' }, noType],
  ['UTF-16', { 'content-type': 'application/json; charset=utf-16' }, noType],
  ['gzip', { ...json, 'content-encoding': 'gzip' }, noType],
  ['an unknown encoding', { ...json, 'content-encoding': 'x' }, noType],
  ['two encodings', { ...json, 'content-encoding': 'identity, gzip' }, noType],
  ['capitals', { 'content-type': 'Application/JSON' }, accepted],
  ['UTF-8', { 'content-type': 'application/json; charset="UTF-8"' }, accepted],
  ['utf8', { 'content-type': 'application/json;charset=utf8' }, accepted],
  ['another parameter', { 'content-type': 'application/json; version=1' }, accepted],
  ['identity', { ...json, 'content-encoding': 'identity' }, accepted],
];

const keys: readonly (readonly [string, string | string[], CorpusAnswer])[] = [
  ['empty', '', noKey],
  ['empty in quotes', '""', noKey],
  ['of 256', 'k'.repeat(256), noKey],
  ['with a blank', 'two words', noKey],
  ['with a tab', 'a\tb', noKey],
  ['with an umlaut', 'k\u00e4se', noKey],
  ['sent twice', ['a', 'b'], { ...noKey, mistake: { header: 'Idempotency-Key', code: 'repeated' } }],
  ['sent twice alike', ['a', 'a'], { ...noKey, mistake: { header: 'Idempotency-Key', code: 'repeated' } }],
  ['of 255', 'k'.repeat(255), accepted],
  ['of 255 in quotes', `"${'q'.repeat(255)}"`, accepted],
  ['one quote', '"', accepted],
  ['of a query', '$where', accepted],
  ['__proto__', '__proto__', accepted],
];

const toCase = (name: string, headers: CorpusCase['headers'], body: string | Buffer, expected: CorpusAnswer) =>
  ({ name, method: 'POST', url: '/api/v1/widgets', as: 'editor', headers: { ...headers }, body, expected }) as const;

/** `POST /api/v1/widgets`: what a body may be before its members are looked at, and the idempotency key. */
export const createWidgetBodies: readonly CorpusCase[] = [
  ...texts.map(([name, body, expected]) => toCase(`JSON: ${name}`, json, body, expected)),
  ...types.map(([name, headers, expected]) => toCase(`media type: ${name}`, headers, good, expected)),
  toCase('media type: none', {}, Buffer.from(good), noType),
  toCase('media type: none, and no body', {}, '', wrongAt('#', 'required')),
  toCase('media type: text, but no body', { 'content-type': 'text/plain' }, '', wrongAt('#', 'required')),
  toCase('gzip, and it is', { ...json, 'content-encoding': 'gzip' }, gzipSync(good), noType),
  toCase('gzip, and it does not say so', json, gzipSync(good), noJson),
  ...keys.map(([name, key, expected]) =>
    toCase(`idempotency key: ${name}`, { ...json, 'idempotency-key': key }, good, expected),
  ),
];
