import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openSharedApp } from '../../drivers/app/open-shared.ts';

const service = await openSharedApp();
const { headers } = await service.signedIn('admin');

const names = ['a', 'b', 'a/b', 'm~n', '', '0', '__proto__', 'é'] as const;
const anyName = fc.constantFrom(...names);
const anyPointer = fc
  .array(anyName, { maxLength: 3 })
  .map((steps) => steps.map((step) => `/${step.replaceAll('~', '~0').replaceAll('/', '~1')}`).join(''));
const anyMemberPointer = anyPointer.filter((pointer) => pointer !== '');
const anyHeader = fc.constantFrom('x-one', 'x-two');
const anyPlace = fc.oneof(
  fc.record({ from: anyPointer }),
  fc.record({ header: anyHeader }),
  fc.record({ value: fc.constantFrom('created', 'constant', '2026-03-01T10:00:00Z') }),
);
const anyReadPlace = fc.oneof(fc.record({ from: anyPointer }), fc.record({ header: anyHeader }));
const anyPlaces = fc.oneof(anyReadPlace, fc.record({ all: fc.array(anyPlace, { minLength: 2, maxLength: 3 }) }));
const anyText = fc.constantFrom('created', 'a', '1', 'true', '', '2026-03-01T10:00:00+02:00', '1772359200');
const anyOutcome = fc.constantFrom('created', 'updated', 'retired', 'ignore', 'refuse');

const anyMapping = fc.record(
  {
    only: fc.array(
      fc
        .tuple(anyReadPlace, fc.array(anyText, { minLength: 1, maxLength: 7 }))
        .map(([place, texts]) => ({ ...place, in: texts })),
      { maxLength: 1 },
    ),
    kind: fc
      .tuple(anyPlace, fc.dictionary(anyText, anyOutcome), anyOutcome)
      .map(([place, values, otherwise]) => ({ ...place, values, otherwise })),
    occurredAt: fc.oneof(
      fc.constant({ now: true }),
      fc
        .tuple(anyReadPlace, fc.constantFrom('rfc3339', 'unix-seconds'), fc.constantFrom('now', 'refuse'))
        .map(([place, format, otherwise]) => ({ ...place, format, otherwise })),
    ),
    widgetId: fc
      .tuple(anyPlaces, fc.constantFrom('uuid', 'name'), fc.constantFrom('none', 'refuse'))
      .map(([place, as, otherwise]) => ({ ...place, as: 'all' in place ? 'name' : as, otherwise })),
    id: fc.oneof(fc.constant(null), anyPlaces),
    payload: fc.oneof(
      fc.constant(null),
      fc.record({ from: anyPointer, without: fc.array(anyMemberPointer, { maxLength: 2 }) }),
    ),
  },
  { requiredKeys: ['kind'] },
);

const anyScalar = fc.oneof(anyText, fc.integer(), fc.double({ noNaN: true }), fc.boolean(), fc.constant(null));
const { value: anyValue } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    anyScalar,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.array(fc.tuple(anyName, tie('value')), { maxLength: 4 }).map((members) => new Map(members)),
  ),
}));

/** Writes JSON, in which names may be repeated or named like a member of every object. */
function write(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(write).join(',')}]`;
  if (!(value instanceof Map)) return JSON.stringify(value);
  return `{${[...value].map(([name, member]) => `${JSON.stringify(name)}:${write(member)}`).join(', ')}}`;
}

const anyRequest = fc.record({
  body: fc.oneof({ weight: 9, arbitrary: anyValue.map(write) }, fc.constantFrom('', '{', 'a=1')),
  headers: fc.dictionary(anyHeader, anyText),
});

test('for random mappings and requests, the preview and the hook address agree', { timeout: 120_000 }, async () => {
  const outcomes = new Set<string>();
  await fc.assert(
    fc.asyncProperty(anyMapping, fc.array(anyRequest, { minLength: 1, maxLength: 5 }), async (mapping, requests) => {
      const source = { preset: 'custom', scheme: { algorithm: 'none' }, mapping };
      const send = (url: string, payload: object) => service.post(url, payload, headers);
      const created = await send('/api/v1/integrations', { name: 'random', source });
      expect(created.body).not.toContain('"errors"');
      const { id, token } = created.json() as { id: string; token: string };
      for (const request of requests) {
        const sentHeaders = { 'content-type': 'application/json', ...request.headers };
        const preview = await send(`/api/v1/integrations/${id}/preview`, { headers: sentHeaders, body: request.body });
        const { outcome, hook, event, refusal } = preview.json();
        const real = await service.post(`/api/v1/events/hooks/${token}`, request.body, sentHeaders);
        outcomes.add(outcome);
        expect(real.statusCode).toBe(outcome === 'refused' ? 400 : 202);
        const eventId = real.headers['webhook-event-id'];
        expect(eventId !== undefined).toBe(outcome === 'hook');
        // Without an id, a hook may be an event of its own, with an id that nobody knows before.
        if (outcome === 'hook' && hook.id !== null) expect(eventId).toBe(event.id);
        if (outcome === 'refused') {
          const { code, errors = [] } = real.json();
          expect(code).toBe(refusal.step === 'body' ? 'invalid-json' : 'hook-not-mappable');
          if (refusal.step !== 'body')
            expect(errors).toEqual([expect.objectContaining({ detail: `${refusal.step}: ${refusal.reason}.` })]);
        }
      }
    }),
    { numRuns: 150 },
  );
  expect([...outcomes].sort()).toEqual(['hook', 'ignored', 'refused']);
});
