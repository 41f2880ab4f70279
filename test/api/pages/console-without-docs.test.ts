import { expect, test } from 'vitest';
import { openSharedApp } from '../../drivers/app/open-shared.ts';

const service = await openSharedApp({ consoleEnabled: true, docsEnabled: false });

test('the console knows whether the service has the runbooks', async () => {
  const { body } = await service.inject({ method: 'GET', url: '/console/' });
  expect(body).toContain('<meta name="docs" content="off">');
});
