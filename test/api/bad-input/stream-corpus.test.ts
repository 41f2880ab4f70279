import { afterAll, describe, expect, test } from 'vitest';
import { describeResponse } from '../../corpus/corpus-case.ts';
import { type CorpusVariables, expandVariables, issueVariables } from '../../corpus/corpus-variables.ts';
import { lastEventIds } from '../../corpus/last-event-ids.ts';
import { streamTokens } from '../../corpus/other-paths.ts';
import { expectProblem } from '../../drivers/app/expect-problem.ts';
import { openSharedService } from '../../drivers/app/open-shared.ts';
import { createHttpSender } from './http-sender.ts';
import { openStreamOnce } from './open-stream-once.ts';

const service = await openSharedService();
const http = createHttpSender(service.url);
const issued = await issueVariables(service.backend);
const opened = await openStreamOnce(service.url, { path: `/api/v1/events/${issued.streamToken}` });
const { cursor } = JSON.parse(opened.events[0]?.data ?? '{}') as { cursor: string };
const variables: CorpusVariables = { ...issued, cursor, epoch: cursor.split('.')[0] ?? '' };
afterAll(() => http.close());

describe('/api/v1/events/{token}: tokens', () => {
  const titled = streamTokens.map((streamCase) => {
    return [describeResponse(streamCase.expected), streamCase.name, streamCase] as const;
  });
  test.each(titled)('%s for %s', async (_response, _name, { method, url, expected }) => {
    const response = await http.send({
      method,
      path: expandVariables(url, variables),
      headers: { origin: 'https://any.example' },
    });
    expect(response.statusCode).toBe(expected.status);
    if (expected.code !== undefined) expectProblem(response, { status: expected.status, code: expected.code });
    if (expected.allow !== undefined) expect(response.headers.allow).toBe(expected.allow);
    const isStream = !url.endsWith('}/');
    if (isStream) expect(response.headers['access-control-allow-origin']).toBe('*');
    expect(response.headers['access-control-allow-credentials']).toBeUndefined();
    expect(response.body).not.toContain(variables.streamToken);
  });
});

describe('GET /api/v1/events/{token}: Last-Event-ID', () => {
  const titled = lastEventIds.map((idCase) => {
    const outcome = idCase.gap === null ? (idCase.resumed ? 'resumes' : 'starts now') : `sends a gap (${idCase.gap})`;
    return [outcome, idCase.name, idCase] as const;
  });
  test.each(titled)('%s for %s', async (_outcome, _name, { header, query, gap, resumed }) => {
    const path = `/api/v1/events/${variables.streamToken}${query === undefined ? '' : `?${fill(query)}`}`;
    const lastEventId = typeof header === 'string' ? fill(header) : header?.map(fill);
    const headers: Record<string, string | string[]> =
      lastEventId === undefined ? {} : { 'last-event-id': lastEventId };
    const { events } = await openStreamOnce(service.url, { path, headers });
    const messages = events.map(({ event, data }) => [event, JSON.parse(data)] as const);
    expect(messages.map(([event]) => event)).toEqual(gap === null ? ['stream.open'] : ['stream.gap', 'stream.open']);
    expect(messages.at(-1)?.[1]).toMatchObject({ resumed });
    if (gap !== null) expect(messages[0]?.[1]).toMatchObject({ reason: gap });
  });
});

function fill(text: string): string {
  return expandVariables(text.replaceAll('%7B', '{').replaceAll('%7D', '}'), variables);
}
