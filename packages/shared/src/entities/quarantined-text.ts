import { z } from 'zod';
import { defineEntity, type EntityOf, storedTime, storedUuid } from './define-entity.ts';

/**
 * Why a text is in quarantine. The texts are stored, and clients see them.
 * - `unreadable`: no event id or integration id can be read from it.
 * - `store-refused`: it is a delivery whose dead letter the ledger will never accept.
 */
export const quarantineReasons = ['unreadable', 'store-refused'] as const;
export type QuarantineReason = (typeof quarantineReasons)[number];

/**
 * A part of a job that cannot even become a dead letter. It belongs to a hook that was answered 202, so only an
 * operator removes it.
 */
export const quarantinedTextEntity = defineEntity({
  name: 'quarantine',
  key: 'id',
  namedBy: 'id',
  order: ['quarantinedAt', 'id'],
  unlisted: 'text',
  members: z.object({
    /** A UUIDv8, derived from the job and the part: a repeated run inserts the same text under the same id. */
    id: storedUuid,
    reason: z.enum(quarantineReasons),
    /** The job that was started. A delivery may come from a job that was coalesced with it. */
    jobId: z.string().min(1),
    /** Null if it cannot be read. */
    integrationId: storedUuid.nullable(),
    quarantinedAt: storedTime,
    /** The size of the text in UTF-8. */
    sizeBytes: z.int().min(0),
    /** An unreadable job as the queue held it; a malformed item, or a delivery, written as JSON again. */
    text: z.string(),
  }),
});

export type QuarantinedText = EntityOf<typeof quarantinedTextEntity>;
