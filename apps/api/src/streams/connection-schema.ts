import { z } from 'zod';
import { timestamp } from '../schemas/text.ts';

const exampleConnection = {
  id: '01a1fc9d-5f9c-7267-ab71-c602763bfae4',
  address: '198.51.100.7',
  position: 'k3f9.1764000000000.1284',
  openedAt: '2026-03-01T10:00:01.000Z',
  sentBytes: 18_340,
  unsentBytes: 0,
  pod: 'widget-api-6c9f/1',
};

const connectionSchema = z
  .object({
    id: z.string().meta({ format: 'uuid', description: 'The `X-Request-Id` of the response, which is the stream.' }),
    address: z.string().nullable().meta({
      description:
        'The address of the client. Null if the request came through a proxy that the service does not trust.',
    }),
    position: z.string().meta({ description: 'The last event that was written, or that the filter left out.' }),
    openedAt: timestamp,
    sentBytes: z.int().meta({ description: 'Bytes since the opening that the network has accepted.' }),
    unsentBytes: z.int().meta({ description: 'Bytes that wait for the client.' }),
    pod: z.string().meta({ description: 'The server process that holds the stream: host name and process id.' }),
  })
  .meta({ id: 'Connection', description: 'An open stream of a subscription.', examples: [exampleConnection] });

export const openConnectionsSchema = z
  .object({
    items: z.array(connectionSchema).max(1_000),
    totalItems: z
      .int()
      .min(0)
      .meta({ description: 'How many streams the server processes list, also those that are not in `items`.' }),
    isComplete: z.boolean().meta({
      description:
        'False if a server process has more streams than it lists, which are its newest 1 000: streams may be missing.',
    }),
    asOf: timestamp.meta({ description: 'When the oldest of the lists was written: streams may have come and gone.' }),
  })
  .meta({
    id: 'OpenConnections',
    description: 'The open streams of a subscription, the last opened first: at most 1 000.',
    examples: [{ items: [exampleConnection], totalItems: 1, isComplete: true, asOf: '2026-03-01T10:00:04.000Z' }],
  });
export type OpenConnectionsBody = z.output<typeof openConnectionsSchema>;
