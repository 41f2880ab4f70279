import { sampleLimits } from '@widget-service/shared/ports/sample-store.ts';
import { z } from 'zod';
import { timestamp } from '../../schemas/text.ts';

const keepForSecondsDefault = 3_600;

/** How long samples are kept from now on. */
export const samplingSchema = z
  .strictObject({
    keepForSeconds: z
      .int()
      .refine((seconds) => seconds >= 60 && seconds <= sampleLimits.keepSecondsMax, 'Must be from 60 to 86400.')
      .default(keepForSecondsDefault)
      .describe('For how long from now, in seconds: 60 to 86400.'),
  })
  .meta({ id: 'Sampling', examples: [{ keepForSeconds: keepForSecondsDefault }] });

const sampleSchema = z
  .object({
    requestId: z.string().meta({ format: 'uuid', description: 'The `requestId` of the problem and of the log line.' }),
    receivedAt: timestamp,
    code: z.string().meta({ description: 'The code of the problem that the sender got.' }),
    refusal: z
      .object({
        step: z.string(),
        reason: z.string(),
        pointer: z.string().optional(),
        header: z.string().optional(),
      })
      .describe('The step that failed, as a preview says it.'),
    headers: z
      .record(z.string(), z.array(z.string()))
      .describe('The values of each header, as a preview takes them, without `withheldHeaders`.'),
    withheldHeaders: z
      .array(z.string())
      .describe(
        'The names of the other headers: they may hold a secret, or the address of a client. To see one, let the mapping read it.',
      ),
    body: z.string().describe('The body as it was sent. It may hold personal data.'),
  })
  .meta({ id: 'HookSample', description: 'A refused request of a foreign sender, as it was sent.' });

export const samplesSchema = z
  .object({
    keptUntil: timestamp.nullable().describe('Until when samples are kept; then all are deleted. Null: none are kept.'),
    items: z.array(sampleSchema).max(sampleLimits.perIntegration).describe('The newest first.'),
  })
  .meta({
    id: 'HookSamples',
    description: 'Refused requests of the sender of an integration.',
    examples: [
      {
        keptUntil: '2026-03-01T11:00:00.000Z',
        items: [
          {
            requestId: '01a1fc9d-5f9c-7267-ab71-c602763bfae4',
            receivedAt: '2026-03-01T10:00:01.000Z',
            code: 'hook-not-mappable',
            refusal: { step: 'widgetId', reason: 'there is no text', pointer: '#/repository/full_name' },
            headers: { 'content-type': ['application/json'], 'x-github-event': ['ping'] },
            withheldHeaders: [],
            body: '{"zen":"Keep it logically awesome."}',
          },
        ],
      },
    ],
  });
