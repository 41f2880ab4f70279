import { type CorpusCase, type ExpectedResponse, invalidAt, invalidAtEach, json, returns } from './corpus-case.ts';

const userId = '0197a0b0-0000-7000-8000-00000000abcd';
const email = 'ann@example.com';
const withOwner = (changes: object) => ({ name: 'x', owner: { userId, email, ...changes } });
const makeEmail = (length: number) => `${'a'.repeat(length - 12)}@example.com`;
const makeLabels = (count: number) => Array.from({ length: count }, (_, index) => `label ${index}`);
/** A problem lists at most twenty mistakes. */
const firstTwenty = [...Array(20).keys()];
const accepted = returns(201);

const nameCases: readonly (readonly [string, unknown, ExpectedResponse])[] = [
  ['name: white space only', { name: ' \t\n\u00a0\u3000' }, invalidAt('#/name', 'too-short')],
  ['name: a byte order mark only', { name: '\ufeff' }, invalidAt('#/name', 'too-short')],
  ['name: 201 characters', { name: 'n'.repeat(201) }, invalidAt('#/name', 'too-long')],
  ['name: 201 emoji', { name: '🦄'.repeat(201) }, invalidAt('#/name', 'too-long')],
  ['name: 60 000 characters', { name: 'n'.repeat(60_000) }, invalidAt('#/name', 'too-long')],
  ['name: 200 characters', { name: 'n'.repeat(200) }, accepted],
  ['name: 200 emoji', { name: '🦄'.repeat(200) }, accepted],
  ['name: 200 characters inside white space', { name: `  ${'n'.repeat(200)}\n` }, accepted],
  ['name: $where', { name: '$where' }, accepted],
  ['name: __proto__', { name: '__proto__' }, accepted],
  ['name: with dots', { name: 'a.b.$c' }, accepted],
  ['name: SQL', { name: "'; DROP TABLE widgets; --" }, accepted],
  ['name: HTML', { name: '<script>alert(1)</script>' }, accepted],
  ['name: combining marks', { name: `e${'\u0301'.repeat(50)}` }, accepted],
];

const stateCases: readonly (readonly [string, unknown, ExpectedResponse])[] = [
  ['state: empty', { name: 'x', state: '' }, invalidAt('#/state', 'enum')],
  ['state: in upper case', { name: 'x', state: 'ACTIVE' }, invalidAt('#/state', 'enum')],
  ['state: with a space', { name: 'x', state: 'active ' }, invalidAt('#/state', 'enum')],
  ['state: null', { name: 'x', state: null }, accepted],
  ['state: retired', { name: 'x', state: 'retired' }, accepted],
];

const labelCases: readonly (readonly [string, unknown, ExpectedResponse])[] = [
  ['label: white space only', { name: 'x', labels: ['  '] }, invalidAt('#/labels/0', 'too-short')],
  ['label: 65 characters', { name: 'x', labels: ['l'.repeat(65)] }, invalidAt('#/labels/0', 'too-long')],
  ['labels: 33 of them', { name: 'x', labels: makeLabels(33) }, invalidAt('#/labels', 'too-long')],
  [
    'labels: 500 numbers',
    { name: 'x', labels: Array(500).fill(0) },
    invalidAtEach(...firstTwenty.map((index) => [`#/labels/${index}`, 'type'] as const)),
  ],
  ['label: 64 emoji', { name: 'x', labels: ['🦄'.repeat(64)] }, accepted],
  ['labels: 32 of them', { name: 'x', labels: makeLabels(32) }, accepted],
  ['labels: 33 of which two are equal', { name: 'x', labels: [...makeLabels(32), ' label 0 '] }, accepted],
  ['labels: 2 000 equal ones', { name: 'x', labels: Array(2_000).fill('red') }, accepted],
  ['labels: null', { name: 'x', labels: null }, accepted],
  ['label: __proto__', { name: 'x', labels: ['__proto__', 'constructor', '$set'] }, accepted],
];

const ownerCases: readonly (readonly [string, unknown, ExpectedResponse])[] = [
  [
    'owner: empty',
    { name: 'x', owner: {} },
    invalidAtEach(['#/owner/userId', 'required'], ['#/owner/email', 'required']),
  ],
  ['owner: null', { name: 'x', owner: null }, accepted],
  ['user id: empty', withOwner({ userId: '' }), invalidAt('#/owner/userId', 'format')],
  ['user id: without dashes', withOwner({ userId: userId.replaceAll('-', '') }), invalidAt('#/owner/userId', 'format')],
  ['user id: in braces', withOwner({ userId: `{${userId}}` }), invalidAt('#/owner/userId', 'format')],
  ['user id: as URN', withOwner({ userId: `urn:uuid:${userId}` }), invalidAt('#/owner/userId', 'format')],
  ['user id: with a line break', withOwner({ userId: `${userId}\n` }), invalidAt('#/owner/userId', 'format')],
  ['user id: with a letter g', withOwner({ userId: userId.replace('a', 'g') }), invalidAt('#/owner/userId', 'format')],
  [
    'user id: with full-width digits',
    withOwner({ userId: userId.replace('0', '０') }),
    invalidAt('#/owner/userId', 'format'),
  ],
  ['user id: in upper case', withOwner({ userId: userId.toUpperCase() }), accepted],
  ['user id: nil', withOwner({ userId: '00000000-0000-0000-0000-000000000000' }), accepted],
  ['user id: max', withOwner({ userId: 'ffffffff-ffff-ffff-ffff-ffffffffffff' }), accepted],
  ['user id: without a UUID version', withOwner({ userId: '12345678-1234-0234-0234-123456789012' }), accepted],
  ['e-mail: empty', withOwner({ email: '' }), invalidAt('#/owner/email', 'format')],
  ['e-mail: with two @', withOwner({ email: 'ann@bob@example.com' }), invalidAt('#/owner/email', 'format')],
  ['e-mail: with a space', withOwner({ email: 'ann @example.com' }), invalidAt('#/owner/email', 'format')],
  ['e-mail: with a name', withOwner({ email: 'Ann <ann@example.com>' }), invalidAt('#/owner/email', 'format')],
  ['e-mail: with two dots', withOwner({ email: 'ann@example..com' }), invalidAt('#/owner/email', 'format')],
  [
    'e-mail: with a domain that begins with a dash',
    withOwner({ email: 'ann@-example.com' }),
    invalidAt('#/owner/email', 'format'),
  ],
  ['e-mail: with an umlaut', withOwner({ email: 'änn@example.com' }), invalidAt('#/owner/email', 'format')],
  ['e-mail: with a line break', withOwner({ email: 'ann@example.com\n' }), invalidAt('#/owner/email', 'format')],
  [
    'e-mail: with a line break and a header',
    withOwner({ email: 'ann@example.com\r\nBcc: all' }),
    invalidAt('#/owner/email', 'format'),
  ],
  ['e-mail: 255 characters', withOwner({ email: makeEmail(255) }), invalidAt('#/owner/email', 'too-long')],
  [
    'e-mail: 60 000 characters',
    withOwner({ email: 'a'.repeat(60_000) }),
    invalidAtEach(['#/owner/email', 'too-long'], ['#/owner/email', 'format']),
  ],
  ['e-mail: with many dots', withOwner({ email: `a@${'a.'.repeat(120)}` }), invalidAt('#/owner/email', 'format')],
  ['e-mail: 254 characters', withOwner({ email: makeEmail(254) }), accepted],
  ['e-mail: without a dot', withOwner({ email: 'admin@localhost' }), accepted],
  ['e-mail: with a tag', withOwner({ email: 'ann+tag@example.com' }), accepted],
  ['notify: null', withOwner({ notify: null }), accepted],
];

const fieldCases: readonly (readonly [string, unknown, ExpectedResponse])[] = [
  ['an unknown field: $where', { name: 'x', $where: 'sleep(1000)' }, invalidAt('#/%24where', 'unknown-field')],
  ['an unknown field: $set', { name: 'x', $set: { state: 'retired' } }, invalidAt('#/%24set', 'unknown-field')],
  ['an unknown field with a dot', { name: 'x', 'owner.email': email }, invalidAt('#/owner.email', 'unknown-field')],
  ['an unknown field with an empty name', { name: 'x', '': 1 }, invalidAt('#/', 'unknown-field')],
  ['an unknown field with / and ~', { name: 'x', 'a/b~c': 1 }, invalidAt('#/a~1b~0c', 'unknown-field')],
  ['an unknown field: toString', { name: 'x', toString: 1 }, invalidAt('#/toString', 'unknown-field')],
  ['an unknown field: constructor', { name: 'x', constructor: 1 }, invalidAt('#/constructor', 'unknown-field')],
  [
    'an unknown field: hasOwnProperty',
    { name: 'x', hasOwnProperty: 1 },
    invalidAt('#/hasOwnProperty', 'unknown-field'),
  ],
  [
    'an unknown field: __defineGetter__',
    { name: 'x', __defineGetter__: 1 },
    invalidAt('#/__defineGetter__', 'unknown-field'),
  ],
  ['name: as Name in upper case', { Name: 'x' }, invalidAtEach(['#/name', 'required'], ['#/Name', 'unknown-field'])],
  [
    'an unknown field of 60 000 characters',
    { name: 'x', ['n'.repeat(60_000)]: 1 },
    invalidAt(`#/${'n'.repeat(100)}`, 'unknown-field'),
  ],
  [
    'an unknown field of 60 emoji, cut between two of them',
    { name: 'x', [`a${'🦄'.repeat(60)}`]: 1 },
    invalidAt(`#/a${encodeURIComponent('🦄'.repeat(49))}`, 'unknown-field'),
  ],
  [
    'mistakes of each kind: all are listed',
    { state: 1, owner: {}, extra: 1 },
    invalidAtEach(
      ['#/name', 'required'],
      ['#/state', 'type'],
      ['#/owner/userId', 'required'],
      ['#/owner/email', 'required'],
      ['#/extra', 'unknown-field'],
    ),
  ],
  [
    '1 000 unknown fields: twenty are listed',
    { name: 'x', ...Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`f${index}`, 0])) },
    invalidAtEach(...firstTwenty.map((index) => [`#/f${index}`, 'unknown-field'] as const)),
  ],
  ['body: an array with a widget', [{ name: 'x' }], invalidAt('#', 'type')],
  ['body: a number', 1, invalidAt('#', 'type')],
  ['body: true', true, invalidAt('#', 'type')],
  ['body: null', null, invalidAt('#', 'required')],
];

/** `POST /api/v1/widgets`: the members of the body. */
export const createWidgetFields: readonly CorpusCase[] = [
  ...nameCases,
  ...stateCases,
  ...labelCases,
  ...ownerCases,
  ...fieldCases,
].map(([name, body, expected]) => ({
  name,
  method: 'POST',
  url: '/api/v1/widgets',
  caller: 'editor',
  headers: json,
  body: JSON.stringify(body),
  expected,
}));
