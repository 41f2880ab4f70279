import { quarantineReasons } from '@widget-service/shared/ports/quarantine-store.ts';
import { z } from 'zod';
import { toPageSchema } from '../schemas/page.ts';
import { timestamp } from '../schemas/text.ts';

const quarantinedTextShape = z.object({
  id: z.string().meta({ format: 'uuid', description: 'The `quarantineId` in the log.' }),
  reason: z.enum(quarantineReasons).meta({
    description:
      'Why it is in quarantine. `unreadable`: no event id or integration id can be read from it. `store-refused`: it is a delivery that the store will not even accept as a dead letter.',
  }),
  jobId: z.string().meta({
    description:
      'The job of the hook queue that was being processed. A delivery may come from a job that was processed with it.',
  }),
  integrationId: z
    .string()
    .meta({ format: 'uuid' })
    .nullable()
    .meta({ description: 'The integration that the delivery names. Null if it cannot be read.' }),
  quarantinedAt: timestamp,
  sizeBytes: z.int().min(0).meta({ description: 'The size of the text in UTF-8.' }),
});

const example = {
  id: '5c1e2f70-9a3b-8d4e-a1f6-0b7c8d9e0f12',
  reason: 'unreadable',
  jobId: 'job-7f0c1a52-6d1e-4c3b-9a57-2b8f0e4d6c91',
  integrationId: null,
  quarantinedAt: '2026-03-01T10:00:01.000Z',
  sizeBytes: 44,
} as const;

const quarantinedTextSchema = quarantinedTextShape.meta({
  id: 'QuarantinedText',
  description: 'A text of the hook queue that could not even become a dead letter.',
  examples: [example],
});

export const quarantinedTextWithTextSchema = quarantinedTextShape
  .extend({
    text: z.string().meta({
      description:
        'The text as the queue held it, or its part of the job as JSON. Anybody who can write to the queue may have written it: escape it before you show it.',
    }),
  })
  .meta({
    id: 'QuarantinedTextWithText',
    description: 'A quarantined text with the text itself.',
    examples: [{ ...example, text: '{"version":1,"items":[{"t":"d","p":"half a j' }],
  });

export const quarantinePageSchema = toPageSchema(quarantinedTextSchema);
