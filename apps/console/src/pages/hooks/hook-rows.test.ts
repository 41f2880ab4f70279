import { describe, expect, test } from 'vitest';
import type { Schemas } from '../../service/service.ts';
import { countRefused, findEndOfRefusals, intersect, mergeHooks, refusalsMax, toPageSpan } from './hook-rows.ts';

const always = { from: null, to: null };
/** The time in the 10th hour: `02:30` is 10:02:30. */
const at = (minute: string) => `2026-03-01T10:${minute}.000Z`;
const delivery = (minute: string) =>
  ({ eventId: `delivery ${minute}`, receivedAt: at(minute) }) as unknown as Schemas['Delivery'];
const refusal = (minute: string, unlisted = 0) =>
  ({ requestId: `refusal ${minute}`, refusedAt: at(minute), unlisted }) as unknown as Schemas['Refusal'];
const keys = (rows: readonly { readonly key: string }[]) => rows.map(({ key }) => key);

test('merges deliveries and refusals, the newest first', () => {
  const deliveries = [delivery('05:00'), delivery('03:00'), delivery('03:00')];
  expect(keys(mergeHooks(deliveries, [refusal('06:00'), refusal('04:00')], always))).toEqual([
    'refusal 06:00',
    'delivery 05:00',
    'refusal 04:00',
    'delivery 03:00',
    'delivery 03:00',
  ]);
});

test('shows each refusal on one page', () => {
  const refusals = ['09:00', '08:00', '07:00', '06:00', '05:00', '01:00'].map((minute) => refusal(minute));
  const pages = [[delivery('08:00'), delivery('07:00')], [delivery('05:30'), delivery('05:00')], [delivery('03:00')]];
  const shown = pages.flatMap((items, index) => {
    const span = toPageSpan({ items, hasNext: index < 2 }, pages[index - 1]?.at(-1) ?? null);
    return keys(mergeHooks(items, refusals, span));
  });
  expect(shown.filter((key) => key.startsWith('refusal'))).toEqual(keys(mergeHooks([], refusals, always)));
  expect(shown.indexOf('refusal 06:00')).toBeGreaterThan(shown.indexOf('delivery 07:00'));
  expect(shown.indexOf('refusal 06:00')).toBeLessThan(shown.indexOf('delivery 05:30'));
});

test('has the refusals alone if nothing was delivered', () => {
  const span = toPageSpan({ items: [], hasNext: false }, null);
  expect(keys(mergeHooks([], [refusal('02:00'), refusal('01:00')], span))).toEqual(['refusal 02:00', 'refusal 01:00']);
});

test('leaves out the refusals before and after the chosen times', () => {
  const refusals = [refusal('03:00'), refusal('02:00'), refusal('01:00')];
  expect(keys(mergeHooks([], refusals, { from: at('02:00'), to: at('03:00') }))).toEqual(['refusal 02:00']);
});

test('intersects time spans', () => {
  expect(intersect({ from: at('01:00'), to: null }, { from: at('02:00'), to: at('03:00') })).toEqual({
    from: at('02:00'),
    to: at('03:00'),
  });
  expect(intersect({ from: at('04:00'), to: at('05:00') }, { from: at('02:00'), to: null })).toEqual({
    from: at('04:00'),
    to: at('05:00'),
  });
  expect(intersect(always, always)).toEqual(always);
});

describe('the end of the list of refusals', () => {
  const full = [...Array(refusalsMax - 1).fill(refusal('09:00')), refusal('08:00')];

  test('is the oldest refusal once the list is full', () => {
    expect(findEndOfRefusals(full, always)).toBe(at('08:00'));
    expect(findEndOfRefusals(full, { from: at('07:00'), to: null })).toBe(at('08:00'));
  });

  test('is not reached while the list has room, or before the chosen times begin', () => {
    expect(findEndOfRefusals(full.slice(1), always)).toBeNull();
    expect(findEndOfRefusals([], always)).toBeNull();
    expect(findEndOfRefusals(full, { from: at('08:00'), to: null })).toBeNull();
  });
});

test('counts also the hooks that are not listed', () => {
  const refusals = [refusal('03:00', 41), refusal('02:00')];
  expect(countRefused(refusals, always)).toEqual({ count: 43, isAtLeast: false });
  expect(countRefused(refusals, { from: null, to: at('03:00') })).toEqual({ count: 1, isAtLeast: false });
  expect(countRefused(Array(refusalsMax).fill(refusal('01:00')), always)).toEqual({ count: 100, isAtLeast: true });
});
