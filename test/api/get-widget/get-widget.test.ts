import { describe, expect, test } from 'vitest';
import { expectProblem } from '../../drivers/app/expect-problem.ts';
import { openSharedApp } from '../../drivers/app/open-shared.ts';

const service = await openSharedApp();
const editor = await service.signedIn('editor');

const get = (id: string, headers: Record<string, string> = { cookie: editor.cookie }) =>
  service.get(`/api/v1/widgets/${id}`, headers);

describe('GET /api/v1/widgets/{id}', () => {
  test('returns the created widget under its Location, and with the id in upper case', async () => {
    const created = await editor.post('/api/v1/widgets', { name: 'lamp', labels: ['a'] });
    const location = new URL(String(created.headers.location), 'http://host/api/v1/widgets').pathname;
    const response = await editor.get(location);
    expect(response.statusCode).toBe(200);
    expect(response.json()).toEqual(created.json());
    expect((await get(created.json().id.toUpperCase())).json()).toEqual(created.json());
  });

  test('returns 403 not-authenticated without a session', async () => {
    expectProblem(await get('x', {}), { status: 403, code: 'not-authenticated' });
  });

  test.each(['0197a0b0-0000-7000-8000-00000000abcd', 'x', '%00', 'a'.repeat(500), '$where'])(
    'returns 404 for the id %s',
    async (id) => {
      expectProblem(await get(id), { status: 404, code: 'not-found' });
    },
  );
});
