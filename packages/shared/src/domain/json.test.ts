import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { extractMemberText, tryParseJson } from './json.ts';

describe('tryParseJson', () => {
  test.each([
    ['{"a":[1]}', { a: [1] }],
    ['null', null],
    ['', undefined],
    ['{"a":', undefined],
  ])('parses %j as %j', (text, expected) => {
    expect(tryParseJson(text)).toEqual(expected);
  });
});

describe('extractMemberText', () => {
  test.each([
    ['{"payload":{"a":1}}', '{"a":1}'],
    ['{"kind":"x", "payload" : { "b": [1, {"c": "}"}] } , "z": 1}', '{ "b": [1, {"c": "}"}] }'],
    ['{"payload":12345678901234567890.10}', '12345678901234567890.10'],
    ['{"payload":"a \\"quoted\\" \\\\"}', '"a \\"quoted\\" \\\\"'],
    ['{"payload":null}', 'null'],
    ['{"payl\\u006fad":true}', 'true'],
    ['{"payload":1,"payload":{"last":2}}', '{"last":2}'],
    ['{"other":{"payload":1}}', null],
    ['{"payload":{"a":\r\n[1,\n2]}}', '{"a": [1, 2]}'],
    [' \n{ "payload" : 1\n}', '1'],
    ['{}', null],
    ['[{"payload":1}]', null],
    ['"payload"', null],
  ])('extracts the payload of %s as %j', (json, expected) => {
    expect(extractMemberText(json, 'payload')).toBe(expected);
  });

  test('agrees with JSON.parse for every object, layout and member', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue()),
        fc.constantFrom(undefined, 1, '\t', '\r\n'),
        (object, layout) => {
          const json = JSON.stringify(object, null, layout === '\r\n' ? 1 : layout);
          const text = layout === '\r\n' ? json.replaceAll('\n', '\r\n') : json;
          const parsed = JSON.parse(text) as Record<string, unknown>;
          for (const name of Object.keys(parsed)) {
            const member = extractMemberText(text, name);
            expect(member).not.toMatch(/[\r\n]/);
            expect(JSON.parse(member ?? '')).toEqual(parsed[name]);
          }
          expect(extractMemberText(text, 'no such member')).toBeNull();
        },
      ),
    );
  });

  test('returns the last of repeated members, with escaped names too', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.constantFrom('"p"', '"q"', '"\\u0070"'), fc.jsonValue()), { maxLength: 6 }),
        (members) => {
          const json = `{${members.map(([name, value]) => `${name}:${JSON.stringify(value)}`).join(',')}}`;
          const text = extractMemberText(json, 'p');
          expect(text === null ? undefined : JSON.parse(text)).toEqual((JSON.parse(json) as { p?: unknown }).p);
        },
      ),
    );
  });
});
