import { z } from 'zod';
import { toPageSchema } from '../../schemas/page.ts';
import { timestamp } from '../../schemas/text.ts';

/** A session in a list. It shows neither the cookie's value nor anything that is derived from it. */
const activeSessionSchema = z
  .object({
    id: z.string().meta({ format: 'uuid', description: 'Names the session in requests. It is no secret.' }),
    device: z.string().nullable().meta({
      description:
        'What signed in, by its `User-Agent`: a browser and a system, or the name of a program. Null: unknown. A client can send any name.',
    }),
    address: z.string().nullable().meta({
      description:
        'The address at sign-in. Null: unknown, for example because the request came through a proxy that the service does not trust.',
    }),
    createdAt: timestamp.describe('When the user signed in.'),
    lastUsedAt: timestamp.describe('When the session was last used, accurate to a minute.'),
    expiresAt: timestamp.describe('When the session expires at the latest. It expires earlier if it is idle for long.'),
    current: z.boolean().meta({ description: 'Whether it is the session of this request.' }),
  })
  .meta({
    id: 'ActiveSession',
    description: 'A session of a user that has not ended.',
    examples: [
      {
        id: '01a1fc8b-7c1d-7d3e-9a54-0b6d2f8e4c17',
        device: 'Firefox 145 on Windows',
        address: '198.51.100.7',
        createdAt: '2026-03-01T08:00:00.000Z',
        lastUsedAt: '2026-03-01T10:12:00.000Z',
        expiresAt: '2026-03-08T08:00:00.000Z',
        current: true,
      },
    ],
  });

export const activeSessionPageSchema = toPageSchema(activeSessionSchema);
export type ActiveSessionBody = z.output<typeof activeSessionSchema>;
