import type { UserStore } from '@widget-service/shared/ports/user-store.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { pageQuerySchema } from '../../schemas/page.ts';
import { answers } from '../../schemas/problem.ts';
import { userPageSchema } from '../../schemas/user.ts';
import { rangeOf, toPageBody } from '../page-body.ts';
import { toUserBody } from './user-body.ts';

export interface ListUsersRouteDeps {
  readonly users: Pick<UserStore, 'list'>;
}

/** `GET /api/v1/users`: one page of users, newest first. */
export function registerListUsers(app: ZodApp, { users }: ListUsersRouteDeps): void {
  app.route({
    method: ['GET', 'HEAD'],
    url: '/api/v1/users',
    config: { policy: { permission: 'users:manage' } },
    schema: {
      operationId: 'example.users.list',
      summary: 'List users',
      security: [{ sessionCookie: [] }],
      querystring: pageQuerySchema,
      response: answers({ 200: { body: userPageSchema, description: 'One page of users.' } }),
    },
    handler: async ({ query }) => toPageBody(query, await users.list(rangeOf(query)), toUserBody),
  });
}
