import { expect, test } from 'vitest';
import { isUuid } from './is-uuid.ts';

test.each([
  ['b9dce296-9105-8818-a22e-aee490c1c421', true],
  ['B9DCE296-9105-8818-A22E-AEE490C1C421', true],
  ['msg_partner_4711', false],
  ['b9dce296-9105-8818-a22e-aee490c1c42', false],
  ['', false],
])('%s may be an event id: %s', (text, expected) => {
  expect(isUuid(text)).toBe(expected);
});
