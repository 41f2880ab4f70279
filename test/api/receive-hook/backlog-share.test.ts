import { describe, expect, onTestFinished, test } from 'vitest';
import { openTestApp } from '../../drivers/app/test-app.ts';

const backlogMax = 200;
const sharePercent = 50;
/** The pod counts the backlog at least once a second, so a flood that lasts longer is noticed. */
const floodMs = 2_500;

describe('while no worker processes hooks', () => {
  test('an integration gets 503 beyond its share of the backlog, and another one is still accepted', async () => {
    const service = await openTestApp({ groupCommit: { backlogMax, sharePercent } });
    onTestFinished(() => service.close());
    const [flooder, other] = [await service.issueHookToken(), await service.issueHookToken()];
    let number = 0;
    const post = async ({ token }: typeof flooder) => {
      number += 1;
      const payload = {
        kind: 'updated',
        occurredAt: '2026-03-01T10:00:00Z',
        payload: { number, text: 'x'.repeat(10_000) },
      };
      const response = await service.post(`/api/v1/events/hooks/${token}`, payload);
      return response.statusCode === 202 ? '202' : `${response.statusCode} ${response.json().code}`;
    };
    const flood: string[] = [];
    const others: string[] = [];
    const startedAtMs = performance.now();
    while (performance.now() - startedAtMs < floodMs || flood.length < 2 * backlogMax) {
      flood.push(...(await Promise.all(Array.from({ length: 20 }, () => post(flooder)))));
      if (others.length < 50) others.push(await post(other));
    }
    while (others.length < 50) others.push(await post(other));
    const accepted = flood.filter((answer) => answer === '202').length;
    console.log(
      `flooder: ${accepted} of ${flood.length} accepted; other: ${others.filter((answer) => answer === '202').length} of 50`,
    );
    expect(new Set(others)).toEqual(new Set(['202']));
    expect(new Set(flood)).toEqual(new Set(['202', '503 integration-backlog-full']));
    expect(accepted).toBe((sharePercent / 100) * backlogMax);
  });
});
