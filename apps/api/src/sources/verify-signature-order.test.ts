import { expect, test } from 'vitest';
import { schemeDefaults } from './presets.ts';
import type { SentRequest } from './sent-request.ts';
import { verifySignature } from './verify-signature.ts';

test.each(['x-signature', 'other'])(
  'reads nothing of the body before the header has a well-formed signature',
  (name) => {
    const scheme = { ...schemeDefaults, algorithm: 'hmac-sha256', header: 'x-signature' } as const;
    const sent: SentRequest = {
      rawHeaders: [name, 'ab'.repeat(31)],
      get body(): never {
        throw new Error('the body was read');
      },
      urls: [],
    };
    expect(verifySignature(scheme, [Buffer.from('a secret of the sender')], sent, new Date())).toMatchObject({
      isValid: false,
    });
  },
);
