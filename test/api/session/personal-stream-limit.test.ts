import { sha256Hex } from '@widget-service/shared/domain/token.ts';
import { expect, onTestFinished, test } from 'vitest';
import { openTestApp } from '../../drivers/app/test-app.ts';

test('a user has at most 100 live stream tokens: the next one ends the oldest, and every pod hears of it', async () => {
  const announced: unknown[] = [];
  const service = await openTestApp({
    replace: ({ control }) => ({
      control: { openTail: () => control.openTail(), announce: async (entry) => void announced.push(entry) },
    }),
  });
  onTestFinished(() => service.close());
  const { headers, sessionId } = await service.signedIn('viewer');
  const issue = async () => (await service.inject({ method: 'POST', url: '/api/v1/session/stream', headers })).json();
  const tokens: string[] = [];
  for (let count = 0; count < 101; count += 1) tokens.push((await issue()).token);
  const digests = tokens.map((token) => sha256Hex(token));
  const found = await Promise.all(digests.map((digest) => service.backend.personalStreams.get(digest)));
  expect(found.filter((stream) => stream !== null)).toHaveLength(100);
  expect(found.at(-1)).not.toBeNull();
  expect(announced).toEqual([{ kind: 'session', id: sha256Hex(sessionId), change: 'changed' }]);
});
