/**
 * The yard-stick for accepting hooks: fastify with the service's schema of a hook. It answers 202 and stores nothing.
 */
import type { AddressInfo } from 'node:net';
import { hookEventSchema } from '@widget-service/api/schemas/hook-event.ts';
import { fastify } from 'fastify';
import { serveCommands } from '../drivers/child.ts';

export type BareAcceptCommands = {
  listen: [null, { url: string }];
};

const app = fastify();
app.post('/hooks', async (request, reply) => {
  if (!hookEventSchema.safeParse(request.body).success) return reply.code(400).send();
  return reply.code(202).header('webhook-event-id', '0197a0b0-0000-7000-8000-00000000abcd').send();
});

serveCommands<BareAcceptCommands>({
  listen: async () => {
    await app.listen({ host: '127.0.0.1', port: 0 });
    return { url: `http://127.0.0.1:${(app.server.address() as AddressInfo).port}/hooks` };
  },
});
