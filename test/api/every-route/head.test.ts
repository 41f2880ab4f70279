import { expect, test } from 'vitest';
import { openSharedApp } from '../../drivers/app/open-shared.ts';

const service = await openSharedApp({ publicBaseUrl: 'https://widgets.example' });
const admin = await service.signedIn('admin');

test('HEAD returns the status and headers of GET, without a body, on every route that has a GET without effects', async () => {
  // A GET of these two starts or finishes a sign-in.
  const paths = service.routes
    .filter(({ method, url }) => method === 'GET' && !url.startsWith('/api/v1/session/oidc'))
    .map(({ url }) => url);
  expect(paths.length).toBeGreaterThan(10);
  for (const path of paths) {
    for (const headers of [{}, { cookie: admin.cookie }]) {
      const url = path.replaceAll(/:\w+/g, '0197a0b0-0000-7000-8000-00000000abcd').replace('*', 'x');
      const [get, head] = [
        await service.inject({ method: 'GET', url, headers }),
        await service.inject({ method: 'HEAD', url, headers }),
      ];
      expect(head.body, path).toBe('');
      expect(head.statusCode, path).toBe(get.statusCode);
      const { 'content-type': type, 'content-length': length } = get.headers;
      expect(head.headers['content-type'], path).toBe(type);
      // The length of a successful response depends on stored data, which may have changed between the requests.
      if (get.statusCode >= 400) expect(head.headers['content-length'], path).toBe(length);
    }
  }
});
