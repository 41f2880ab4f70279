import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { aUser } from '../../drivers/app/builders.ts';
import { expectProblem } from '../../drivers/app/expect-problem.ts';
import { openSharedApp } from '../../drivers/app/open-shared.ts';

const service = await openSharedApp();
const admin = await service.signedIn('admin');

const send = (method: 'POST' | 'PATCH' | 'GET', url: string, payload?: object) =>
  service.inject({ method, url, headers: admin.headers, ...(payload === undefined ? {} : { payload }) });

/** Every member that people read, with its place. */
const members: readonly [string, string, (text: string) => object][] = [
  ['/api/v1/widgets', '#/name', (name) => ({ name })],
  ['/api/v1/widgets', '#/labels/0', (label) => ({ name: 'x', labels: [label] })],
  [
    '/api/v1/widgets',
    '#/owner/email',
    (text) => ({ name: 'x', owner: { userId: randomUUID(), email: `${text}@example.com` } }),
  ],
  [
    '/api/v1/users',
    '#/name',
    (name) => ({ name, email: `${randomUUID()}@example.com`, password: 'correct horse battery' }),
  ],
  ['/api/v1/users', '#/email', (text) => ({ email: `${text}@example.com`, password: 'correct horse battery' })],
  ['/api/v1/subscriptions', '#/name', (name) => ({ name })],
  ['/api/v1/subscriptions', '#/filter/labels/0', (label) => ({ name: 'x', filter: { labels: [label] } })],
  ['/api/v1/integrations', '#/name', (name) => ({ name })],
  ['/api/v1/provision-tokens', '#/name', (name) => ({ name })],
];

describe.each(members)('POST %s with %s', (url, pointer, build) => {
  test.each([
    ['a control of direction', 'ad\u202emin'],
    ['an isolate', 'ad\u2066min'],
    ['a zero-width space', 'ad\u200bmin'],
    ['a joiner between Latin letters', 'ad\u200dmin'],
    ['a soft hyphen', 'ad\u00admin'],
    ['a byte order mark', 'ad\ufeffmin'],
    ['a tag', 'ad\u{e0041}min'],
    ['a line separator', 'ad\u2028min'],
    ['a filler', 'ad\u3164min'],
    ['an escape sequence', 'ad\u001b[31mmin'],
  ])('returns 400 for %s', async (_, text) => {
    const errors = [{ pointer, code: 'format' }];
    expectProblem(await send('POST', url, build(text)), { status: 400, code: 'invalid-request', errors });
  });
});

test('the problem names the character, which nobody sees', async () => {
  const { errors } = (await send('POST', '/api/v1/widgets', { name: 'ad\u202emin' })).json();
  expect(errors[0].detail).toContain('U+202E');
});

test.each(['می\u200cخواهم', 'क्\u200dष', '👨\u200d👩\u200d👧', '❤\ufe0f 1\ufe0f\u20e3', '葛\u{e0100}城'])(
  'a name of a script or emoji that needs hidden characters is kept as it is: %s',
  async (name) => {
    const response = await send('POST', '/api/v1/widgets', { name, labels: [name] });
    expect(response.statusCode).toBe(201);
    expect(response.json()).toMatchObject({ name, labels: [name] });
  },
);

test('a name that was stored before is still shown, and its user can still be changed', async () => {
  const user = aUser({ name: 'ad\u202emin' });
  await service.backend.users.insert(user);
  const url = `/api/v1/users/${user.id}`;
  expect((await send('GET', url)).json()).toMatchObject({ name: 'ad\u202emin' });
  expect((await send('PATCH', url, { role: 'editor' })).json()).toMatchObject({ name: 'ad\u202emin', role: 'editor' });
});
