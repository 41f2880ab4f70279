import { mintToken } from '@widget-service/shared/domain/token.ts';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { openTestService, type TestService } from '../../drivers/test-service.ts';
import { generation } from './generation.ts';
import { anyText, canary } from './schema-arbitrary.ts';
import { setUpTimeoutMs } from './set-up-timeout.ts';
import { openOnce, type StreamOpening } from './stream-opening.ts';

const { count, seed, announce } = generation(inject('backend'));
const lanes = 8;
const roundSize = 250;

let service: TestService;
let token: string;
beforeAll(async () => {
  // A stream that was let go counts until its end was noticed.
  service = await openTestService({ STREAMS_PER_TOKEN: '1000000' });
  token = (await service.issueStreamUrl()).url.split('/').at(-1) ?? '';
}, setUpTimeoutMs);
afterAll(() => service.close());

interface GeneratedStream {
  readonly path: string;
  readonly isGood: boolean;
  readonly lastEventId: string | string[] | null;
}

const encoded = anyText.map((value) => encodeURIComponent(value.toWellFormed().slice(0, 1_000)));
const position = fc
  .tuple(fc.string({ maxLength: 4 }), fc.maxSafeNat(), fc.maxSafeNat())
  .map(([epoch, ms, seq]) => `${epoch}.${ms}.${seq}`);
const header = fc
  .oneof(
    position,
    fc.string({ maxLength: 30 }).map((rest) => `${canary}${rest}`),
  )
  .map((text) => text.replaceAll(/[^ -~]/g, '?'));

const stream: fc.Arbitrary<GeneratedStream> = fc
  .record({
    wrong: fc.oneof(
      { weight: 3, arbitrary: fc.constant(null) },
      { weight: 2, arbitrary: encoded.map((text) => text || 'x') },
      { weight: 1, arbitrary: fc.constantFrom('%', '%zz', '%ff', 'hooks', `${canary}%00`, canary.repeat(700)) },
      { weight: 1, arbitrary: fc.constant('{unknown}') },
    ),
    query: fc.oneof(
      fc.constant(''),
      fc.oneof(encoded, position.map(encodeURIComponent)).map((text) => `?lastEventId=${text}`),
      fc.tuple(encoded, encoded).map(([name, text]) => `?${name}=${text}&lastEventId=${text}&lastEventId=`),
    ),
    lastEventId: fc.option(
      fc.oneof(
        header,
        fc.tuple(header, header).map((pair) => [...pair]),
      ),
    ),
  })
  .map(({ wrong, query, lastEventId }) => ({
    path: `/api/v1/events/${wrong ?? '{token}'}${query}`,
    isGood: wrong === null,
    lastEventId,
  }));

test('whatever is asked of a stream, it opens or is not found', { timeout: 3_600_000 }, async () => {
  announce('streams');
  const outcomes = new Map<string, number>();
  for (let from = 0; from < count; from += roundSize) {
    const asked = fc.sample(stream, { numRuns: Math.min(roundSize, count - from), seed: seed + from });
    let next = 0;
    const lane = async () => {
      for (let index = next++; index < asked.length; index = next++) {
        const each = asked[index] as GeneratedStream;
        const outcome = judge(each, await open(each));
        outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
      }
    };
    await Promise.all(Array.from({ length: lanes }, lane));
  }
  console.log(
    `example.events.stream: ${count} (${[...outcomes].map(([what, times]) => `${what}: ${times}`).join(', ')})`,
  );
});

function open({ path, lastEventId }: GeneratedStream): Promise<StreamOpening> {
  const headers: Record<string, string | string[]> = lastEventId === null ? {} : { 'last-event-id': lastEventId };
  return openOnce(service.url, {
    path: path.replace('{token}', token).replace('{unknown}', mintToken('wst')),
    headers,
  });
}

/** What came of it. */
function judge(asked: GeneratedStream, { status, events, body }: StreamOpening): string {
  const what = JSON.stringify(asked);
  if (!asked.isGood) {
    expect(JSON.parse(body), what).toMatchObject({ status, code: 'stream-not-found' });
    expect(status, what).toBe(404);
    expect(body, what).not.toContain(canary);
    return 'not found';
  }
  expect(status, `${what} ${body}`).toBe(200);
  const names = events.map(({ event }) => event);
  expect(['stream.open', 'stream.gap,stream.open'], what).toContain(names.join());
  const first = JSON.parse(events[0]?.data ?? '{}') as { reason?: string };
  return first.reason ?? 'opened';
}
