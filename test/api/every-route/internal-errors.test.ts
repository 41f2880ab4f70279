import { expect, onTestFinished, test } from 'vitest';
import { openTestApp } from '../../drivers/app/test-app.ts';

test('an unexpected error is a 500 that tells its request id, and nothing of the error', async () => {
  const fault = new Error('connect to 10.9.8.7 as root');
  const service = await openTestApp({ replace: () => ({ widgets: { list: () => Promise.reject(fault) } as never }) });
  onTestFinished(() => service.close());
  const { headers } = await service.signedIn('viewer');
  const response = await service.inject({ method: 'GET', url: '/api/v1/widgets', headers });
  expect(response.statusCode).toBe(500);
  expect(response.json()).toMatchObject({ code: 'internal' });
  for (const part of ['10.9.8.7', 'root', 'internal-errors.test.ts', 'Error:'])
    expect(response.body).not.toContain(part);
  const line = service.logLines.find((text) => text.includes('10.9.8.7'));
  expect(line).toContain(String(response.headers['x-request-id']));
});
