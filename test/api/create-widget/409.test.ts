import { describe, expect, test } from 'vitest';
import { expectProblem } from '../../drivers/app/expect-problem.ts';
import { openSharedApp } from '../../drivers/app/open-shared.ts';

const service = await openSharedApp();
const editor = await service.signedIn('editor');

const create = (payload: object, key: string) =>
  service.post('/api/v1/widgets', payload, { ...editor.headers, 'idempotency-key': key });

describe('POST /api/v1/widgets: Idempotency-Key reuse', () => {
  test('returns 409 idempotency-key-reused when the key is reused with another body', async () => {
    expect((await create({ name: 'first' }, 'k')).statusCode).toBe(201);
    expectProblem(await create({ name: 'second' }, 'k'), { status: 409, code: 'idempotency-key-reused' });
  });

  test('does not consume the key of a rejected request', async () => {
    expect((await create({ name: '' }, 'unused')).statusCode).toBe(400);
    expect((await create({ name: 'valid' }, 'unused')).statusCode).toBe(201);
  });

  test('creates two widgets with equal names', async () => {
    expect((await create({ name: 'twin' }, 'a')).statusCode).toBe(201);
    expect((await create({ name: 'twin' }, 'b')).statusCode).toBe(201);
  });
});
