import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalizeJson, canonicalizeNumber, extractMemberText, omitMembers, tryParseJson } from './json.ts';

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

/** Another text with the same meaning, which a random source of indices decides. */
function rewrite(value: unknown, pick: (count: number) => number): string {
  const space = () => [' ', '\t', '\r\n', ''][pick(4)];
  const list = (items: readonly string[]) => items.map((item) => space() + item + space()).join(',');
  if (Array.isArray(value)) return `[${list(value.map((item) => rewrite(item, pick)))}]`;
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).sort(() => pick(3) - 1);
    return `{${list(members.map(([name, member]) => `${rewrite(name, pick)}${space()}:${rewrite(member, pick)}`))}}`;
  }
  if (typeof value !== 'string') return JSON.stringify(value);
  const toEscape = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  const units = value.split('').map((unit) => (pick(3) === 0 ? toEscape(unit) : JSON.stringify(unit).slice(1, -1)));
  return `"${units.join('')}"`;
}

const digits = fc.string({ unit: fc.constantFrom('0', '0', '1', '9'), minLength: 1, maxLength: 25 });
/** The text of a number, as its parts. */
const numberParts = fc.record({
  sign: fc.constantFrom('', '-'),
  whole: digits.map((text) => text.replace(/^0+(?=.)/, '')),
  fraction: fc.option(digits, { nil: '' }),
  exponent: fc.option(fc.integer({ min: -30, max: 400 }), { nil: null }),
});
type NumberParts = typeof numberParts extends fc.Arbitrary<infer Parts> ? Parts : never;

function toNumberText({ sign, whole, fraction, exponent }: NumberParts): string {
  return `${sign}${whole}${fraction === '' ? '' : `.${fraction}`}${exponent === null ? '' : `e${exponent}`}`;
}

/** The number times 10 to the power of 60: a whole number for all parts above. */
function toScaled({ sign, whole, fraction, exponent }: NumberParts): bigint {
  const scaled = BigInt(whole + fraction) * 10n ** BigInt(60 + (exponent ?? 0) - fraction.length);
  return sign === '-' ? -scaled : scaled;
}

describe('omitMembers', () => {
  const paths = [['token'], ['event', 'secret'], ['a/b']];

  test.each([
    ['{"token":1}', '{}'],
    ['{"a":1.10,"token":"t, {}","b":12345678901234567890}', '{"a":1.10,"b":12345678901234567890}'],
    ['{"to\\u006ben":1,"a":{"token":2},"token":[{}]}', '{"a":{"token":2}}'],
    [' { "event" : { "secret" : { "x":1 } , "n" : 1e2 } , "a/b" : 0 } ', '{"event" : {"n" : 1e2}}'],
    ['{"event":[{"secret":1}],"event":{"secret":1,"secret":2}}', '{"event":[{"secret":1}],"event":{}}'],
    ['{"event":null}', '{"event":null}'],
    ['[{"token":1}]', '[{"token":1}]'],
  ])('makes %s %s', (json, expected) => {
    expect(omitMembers(json, paths)).toBe(expected);
  });

  test('leaves every other member as it is', () => {
    const anyName = fc.constantFrom('token', 'event', 'secret', 'other');
    fc.assert(
      fc.property(
        fc.dictionary(anyName, fc.oneof(fc.jsonValue(), fc.dictionary(anyName, fc.jsonValue()))),
        (object) => {
          const expected = JSON.parse(JSON.stringify(object)) as Record<string, unknown>;
          delete expected.token;
          const { event } = expected;
          if (typeof event === 'object' && event !== null && !Array.isArray(event)) {
            delete (event as Record<string, unknown>).secret;
          }
          expect(JSON.parse(omitMembers(JSON.stringify(object, null, 1), paths))).toEqual(expected);
        },
      ),
    );
  });
});

describe('canonicalizeJson', () => {
  test.each([
    ['1.10', '1.1'],
    ['1e2', '100'],
    ['-0', '0'],
    ['0.0e5', '0'],
    ['1E+2', '100'],
    ['9007199254740993', '9007199254740993'],
    ['9007199254740992', '9007199254740992'],
    ['12345678901234567890', '12345678901234567890'],
    ['1234567890123456789e1', '12345678901234567890'],
    ['0.10000000000000001', '10000000000000001e-17'],
    ['1e400', '1e400'],
    ['10e399', '1e400'],
    ['-1e-400', '-1e-400'],
    ['1e99999999999999999999', '1e99999999999999999999'],
    [' { "b" : [ 1 , "\\u0061" ] , "a" : { } } ', '{"a":{},"b":[1,"a"]}'],
    ['{"a":1,"a":2}', '{"a":1,"a":2}'],
    ['{"__proto__":{"a":[]}}', '{"__proto__":{"a":[]}}'],
    ['[true,null,false,[]]', '[true,null,false,[]]'],
    ['{"\\u20ac":1,"\\r":2,"1":3}', '{"\\r":2,"1":3,"€":1}'],
  ])('of %j is %j', (json, expected) => {
    expect(canonicalizeJson(json)).toBe(expected);
  });

  test('is the same for all texts with one meaning', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.infiniteStream(fc.nat()), (value, random) => {
        const pick = (count: number) => (random.next().value ?? 0) % count;
        const text = rewrite(value, pick);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
        expect(canonicalizeJson(text)).toBe(canonicalizeJson(JSON.stringify(value)));
        expect(JSON.parse(canonicalizeJson(text))).toEqual(JSON.parse(text));
      }),
    );
  });

  test('is equal for two numbers exactly if they are the same number, whatever their digits', () => {
    fc.assert(
      fc.property(numberParts, numberParts, fc.nat({ max: 20 }), (a, other, zeros) => {
        const sameLength = { ...other, whole: a.whole.slice(0, -1) + other.whole.slice(-1), fraction: a.fraction };
        const notations = [
          { ...a, fraction: a.fraction + '0'.repeat(zeros) },
          { ...a, whole: a.whole + '0'.repeat(zeros), fraction: '', exponent: (a.exponent ?? 0) - zeros },
        ];
        for (const b of [other, { ...sameLength, sign: a.sign, exponent: a.exponent }, ...notations]) {
          const isSame = toScaled(a) === toScaled(b);
          expect(canonicalizeNumber(toNumberText(a)) === canonicalizeNumber(toNumberText(b))).toBe(isSame);
        }
        const text = canonicalizeNumber(toNumberText(a));
        expect(canonicalizeNumber(text)).toBe(text);
      }),
    );
  });
});
