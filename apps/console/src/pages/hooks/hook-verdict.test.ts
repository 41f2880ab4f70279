import { expect, test } from 'vitest';
import type { Schemas } from '../../service/service.ts';
import { isUuid, toVerdict } from './hook-verdict.ts';

const delivery = { eventId: 'e', state: 'published' } as Schemas['Delivery'];
const [newer, older] = [{ requestId: '2' }, { requestId: '1' }] as Schemas['Refusal'][];

test('a hook that arrived counts, whatever was refused before', () => {
  expect(toVerdict(delivery, [])).toEqual({ kind: 'arrived', delivery, refusedBefore: 0 });
  expect(toVerdict(delivery, [newer, older] as Schemas['Refusal'][])).toMatchObject({
    kind: 'arrived',
    refusedBefore: 2,
  });
});

test('of a hook that was refused, the newest refusal is shown', () => {
  expect(toVerdict(null, [newer, older] as Schemas['Refusal'][])).toEqual({ kind: 'refused', refusal: newer });
});

test('any other hook has never reached the integration', () => {
  expect(toVerdict(null, [])).toEqual({ kind: 'never' });
});

test.each([
  ['b9dce296-9105-8818-a22e-aee490c1c421', true],
  ['B9DCE296-9105-8818-A22E-AEE490C1C421', true],
  ['msg_partner_4711', false],
  ['b9dce296-9105-8818-a22e-aee490c1c42', false],
  ['', false],
])('%s may be an event id: %s', (text, expected) => {
  expect(isUuid(text)).toBe(expected);
});
