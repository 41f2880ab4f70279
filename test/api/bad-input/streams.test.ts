import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CorpusNames, fillIn, issueNames } from '../../corpus/issue-names.ts';
import { streamTokens } from '../../corpus/other-addresses.ts';
import { streamStarts } from '../../corpus/stream-starts.ts';
import { expectProblem } from '../../drivers/expect-problem.ts';
import { openTestService, type TestService } from '../../drivers/test-service.ts';
import { createHttpSender, type HttpSender } from './http-sender.ts';
import { setUpTimeoutMs } from './set-up-timeout.ts';
import { openOnce } from './stream-opening.ts';

let service: TestService;
let names: CorpusNames;
let http: HttpSender;
beforeAll(async () => {
  service = await openTestService();
  http = createHttpSender(service.url);
  const issued = await issueNames(service.backend);
  const opened = await openOnce(service.url, { path: `/api/v1/events/${issued.streamToken}` });
  const { cursor } = JSON.parse(opened.events[0]?.data ?? '{}') as { cursor: string };
  names = { ...issued, cursor, epoch: cursor.split('.')[0] ?? '' };
}, setUpTimeoutMs);
afterAll(async () => {
  http.close();
  await service.close();
});

describe('a token', () => {
  test.each(streamTokens.map((each) => [each.name, each] as const))('%s', async (_, { method, url, expected }) => {
    const response = await http.send({ method, path: fillIn(url, names), headers: { origin: 'https://any.example' } });
    expect(response.statusCode).toBe(expected.status);
    if (expected.code !== undefined) expectProblem(response, { status: expected.status, code: expected.code });
    if (expected.allow !== undefined) expect(response.headers.allow).toBe(expected.allow);
    const isStream = !url.endsWith('}/');
    if (isStream) expect(response.headers['access-control-allow-origin']).toBe('*');
    expect(response.headers['access-control-allow-credentials']).toBeUndefined();
    expect(response.body).not.toContain(names.streamToken);
  });
});

describe('a start', () => {
  test.each(streamStarts.map((each) => [each.name, each] as const))(
    '%s',
    async (_, { header, query, gap, resumed }) => {
      const path = `/api/v1/events/${names.streamToken}${query === undefined ? '' : `?${fill(query)}`}`;
      const sent = typeof header === 'string' ? fill(header) : header?.map(fill);
      const headers: Record<string, string | string[]> = sent === undefined ? {} : { 'last-event-id': sent };
      const { events } = await openOnce(service.url, { path, headers });
      const told = events.map(({ event, data }) => [event, JSON.parse(data)] as const);
      expect(told.map(([event]) => event)).toEqual(gap === null ? ['stream.open'] : ['stream.gap', 'stream.open']);
      expect(told.at(-1)?.[1]).toMatchObject({ resumed });
      if (gap !== null) expect(told[0]?.[1]).toMatchObject({ reason: gap });
    },
  );
});

function fill(text: string): string {
  return fillIn(text.replaceAll('%7B', '{').replaceAll('%7D', '}'), names);
}
