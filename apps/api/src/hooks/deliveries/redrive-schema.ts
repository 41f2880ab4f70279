import { redrivesMax } from '@widget-service/shared/usecases/hooks/redrive-deliveries.ts';
import { z } from 'zod';
import { queryTime } from '../../schemas/page.ts';
import { forArrayLength, utcTimeFormat, uuid } from '../../schemas/text.ts';

/** Which deliveries to redrive. */
export const redriveSelectionSchema = z
  .strictObject({
    eventIds: z
      .array(uuid.meta({ format: 'uuid' }))
      .min(1, forArrayLength)
      .max(redrivesMax, forArrayLength)
      .optional()
      .describe('The event ids of the deliveries. One that is named twice counts once.'),
    state: z
      .enum(['dead'])
      .optional()
      .describe('Instead of `eventIds`: the dead deliveries, the latest received first, at most 100.'),
    from: queryTime.optional().meta({
      ...utcTimeFormat,
      description: 'With `state`: only deliveries received at this time or later, in UTC.',
    }),
    to: queryTime.optional().meta({
      ...utcTimeFormat,
      description: 'With `state`: only deliveries received before this time, in UTC.',
    }),
    after: uuid.optional().meta({
      format: 'uuid',
      description: 'With `state`: the `next` of the previous response, to go on where it ended.',
    }),
  })
  .check(({ value, issues }) => {
    if (value.eventIds === undefined && value.state === undefined) {
      issues.push({
        code: 'custom',
        message: 'Must be given, unless state is.',
        params: { mistake: 'required' },
        path: ['eventIds'],
        input: value,
      });
    }
    for (const name of ['state', 'from', 'to', 'after'] as const) {
      if (value.eventIds === undefined || value[name] === undefined) continue;
      issues.push({ code: 'custom', message: 'Must be left out with eventIds.', path: [name], input: value });
    }
    for (const name of ['from', 'to', 'after'] as const) {
      if (value.eventIds !== undefined || value.state !== undefined || value[name] === undefined) continue;
      issues.push({ code: 'custom', message: 'Must be left out without state.', path: [name], input: value });
    }
  })
  .meta({
    id: 'RedriveSelection',
    description: 'Either `eventIds`, or `state` with any of `from`, `to` and `after`.',
    examples: [
      { eventIds: ['060223bc-ebbe-8cb6-8b7f-c374291aa2b0'] },
      { state: 'dead', to: '2026-03-01T10:00:00.000Z' },
    ],
  });

const redriveSchema = z
  .object({
    eventId: z.string().meta({ format: 'uuid' }),
    outcome: z.enum(['redriven', 'not-dead', 'not-found', 'failed']).meta({
      description:
        '`redriven`: it is durably queued. `not-dead`: it is published, discarded, or being processed. `not-found`: there is no such delivery here, or its integration is deleted. `failed`: the queue did not accept it or did not answer in time; it may be queued all the same. Repeat it: however often you redrive a delivery, it takes effect once.',
    }),
  })
  .meta({ id: 'Redrive', description: 'What became of one delivery.' });

/** The response to a redrive of several deliveries. */
export const redriveReportSchema = z
  .object({
    items: z
      .array(redriveSchema)
      .max(redrivesMax)
      .meta({ description: 'One for each delivery, in the order asked for.' }),
    next: z.string().meta({ format: 'uuid' }).nullable().meta({
      description: 'There are more dead deliveries in the range: send it as `after`. Null if there are none.',
    }),
  })
  .meta({
    id: 'RedriveReport',
    description: 'What became of each delivery. Read the deliveries again later to see whether they are published.',
    examples: [{ items: [{ eventId: '060223bc-ebbe-8cb6-8b7f-c374291aa2b0', outcome: 'redriven' }], next: null }],
  });
