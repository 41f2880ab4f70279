import { z } from 'zod';
import { defineSecret, defineSetting } from './define-setting.ts';
import { wholeNumber } from './value-schemas.ts';

/** The settings of the audit trail: a part of `settingsTable`. */
export const auditSettings = {
  AUDIT_RETENTION_MS: defineSetting(
    wholeNumber(86_400_000, 315_360_000_000),
    34_560_000_000,
    'How long audit events are kept: 400 days by default, from a day to ten years.',
  ),
  AUDIT_HMAC_KEY: defineSecret(
    z.string().min(32, 'at least 32 characters').nullable(),
    null,
    'Key of the HMAC of e-mails in audit events, the same on every pod. The default is a random key that the store keeps.',
  ),
} as const;
