import { mintToken } from '@widget-service/shared/domain/token.ts';
import fc from 'fast-check';
import { expect, inject, test } from 'vitest';
import { openSharedService } from '../../drivers/app/open-shared.ts';
import { openStreamOnce, type StreamOpening } from './open-stream-once.ts';
import { readGenerationSettings } from './read-generation-settings.ts';
import { anyText, canary } from './schema-arbitrary.ts';

const { count, seed, announce } = readGenerationSettings(inject('backend'));
const concurrency = 8;
const roundSize = 250;

// A closed stream counts against the limit until the pod notices, so the limit is high.
const service = await openSharedService({ STREAMS_PER_OWNER: '1000000' });
const token = (await service.issueStreamUrl()).url.split('/').at(-1) ?? '';

interface GeneratedStream {
  readonly path: string;
  readonly isTokenValid: boolean;
  readonly lastEventId: string | string[] | null;
}

const encodedText = anyText.map((value) => encodeURIComponent(value.toWellFormed().slice(0, 1_000)));
const positionArbitrary = fc
  .tuple(fc.string({ maxLength: 4 }), fc.maxSafeNat(), fc.maxSafeNat())
  .map(([epoch, ms, seq]) => `${epoch}.${ms}.${seq}`);
const headerArbitrary = fc
  .oneof(
    positionArbitrary,
    fc.string({ maxLength: 30 }).map((rest) => `${canary}${rest}`),
  )
  .map((text) => text.replaceAll(/[^ -~]/g, '?'));

const streamArbitrary: fc.Arbitrary<GeneratedStream> = fc
  .record({
    invalidToken: fc.oneof(
      { weight: 3, arbitrary: fc.constant(null) },
      { weight: 2, arbitrary: encodedText.map((text) => text || 'x') },
      { weight: 1, arbitrary: fc.constantFrom('%', '%zz', '%ff', 'hooks', `${canary}%00`, canary.repeat(700)) },
      { weight: 1, arbitrary: fc.constant('{unknown}') },
    ),
    query: fc.oneof(
      fc.constant(''),
      fc.oneof(encodedText, positionArbitrary.map(encodeURIComponent)).map((text) => `?lastEventId=${text}`),
      fc.tuple(encodedText, encodedText).map(([name, text]) => `?${name}=${text}&lastEventId=${text}&lastEventId=`),
    ),
    lastEventId: fc.option(
      fc.oneof(
        headerArbitrary,
        fc.tuple(headerArbitrary, headerArbitrary).map((pair) => [...pair]),
      ),
    ),
  })
  .map(({ invalidToken, query, lastEventId }) => ({
    path: `/api/v1/events/${invalidToken ?? '{token}'}${query}`,
    isTokenValid: invalidToken === null,
    lastEventId,
  }));

test('GET /api/v1/events/{token} opens a stream for a valid token and returns 404 otherwise, for generated requests', {
  timeout: 3_600_000,
}, async () => {
  announce('streams');
  const outcomes = new Map<string, number>();
  for (let from = 0; from < count; from += roundSize) {
    const requests = fc.sample(streamArbitrary, { numRuns: Math.min(roundSize, count - from), seed: seed + from });
    let next = 0;
    const runWorker = async () => {
      for (let index = next++; index < requests.length; index = next++) {
        const request = requests[index] as GeneratedStream;
        const outcome = checkOpening(request, await open(request));
        outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
      }
    };
    await Promise.all(Array.from({ length: concurrency }, runWorker));
  }
  console.log(
    `example.events.stream: ${count} (${[...outcomes].map(([outcome, times]) => `${outcome}: ${times}`).join(', ')})`,
  );
});

function open({ path, lastEventId }: GeneratedStream): Promise<StreamOpening> {
  const headers: Record<string, string | string[]> = lastEventId === null ? {} : { 'last-event-id': lastEventId };
  return openStreamOnce(service.url, {
    path: path.replace('{token}', token).replace('{unknown}', mintToken('wst')),
    headers,
  });
}

/** Checks the opening against the contract, and returns the outcome for the summary. */
function checkOpening(request: GeneratedStream, { status, events, body }: StreamOpening): string {
  const description = JSON.stringify(request);
  if (!request.isTokenValid) {
    expect(JSON.parse(body), description).toMatchObject({ status, code: 'stream-not-found' });
    expect(status, description).toBe(404);
    expect(body, description).not.toContain(canary);
    return 'not found';
  }
  expect(status, `${description} ${body}`).toBe(200);
  const names = events.map(({ event }) => event);
  expect(['stream.open', 'stream.gap,stream.open'], description).toContain(names.join());
  const first = JSON.parse(events[0]?.data ?? '{}') as { reason?: string };
  return first.reason ?? 'opened';
}
