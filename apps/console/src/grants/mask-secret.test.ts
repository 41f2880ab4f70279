import { expect, test } from 'vitest';
import { maskSecret } from './mask-secret.ts';

const mask = '•'.repeat(24);

test('keeps the address and the end of a secret URL', () => {
  expect(maskSecret('https://example.com/api/v1/events/hooks/wht_qdQfdTzzzzzz8iMs')).toBe(
    `https://example.com/api/v1/events/hooks/wht_${mask}8iMs`,
  );
});

test('keeps the kind and the end of a signing secret, also if its base64 has slashes', () => {
  expect(maskSecret('whsec_Tq/tYWi_/abcdefghv72p/kW8=')).toBe(`whsec_${mask}kW8=`);
});
