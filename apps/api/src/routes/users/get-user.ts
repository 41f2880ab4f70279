import { ServiceError } from '@widget-service/shared/domain/errors.ts';
import { parseUuid } from '@widget-service/shared/domain/uuid.ts';
import type { UserStore } from '@widget-service/shared/ports/user-store.ts';
import { z } from 'zod';
import type { ZodApp } from '../../http/zod-app.ts';
import { answers } from '../../schemas/problem.ts';
import { userSchema } from '../../schemas/user.ts';
import { toUserBody } from './user-body.ts';

export interface GetUserRouteDeps {
  readonly users: Pick<UserStore, 'findById'>;
}

/** `GET /api/v1/users/{id}`. */
export function registerGetUser(app: ZodApp, { users }: GetUserRouteDeps): void {
  app.route({
    method: ['GET', 'HEAD'],
    url: '/api/v1/users/:id',
    config: { policy: { permission: 'users:manage' } },
    schema: {
      operationId: 'example.users.get',
      summary: 'Get a user',
      security: [{ sessionCookie: [] }],
      params: z.object({ id: z.string() }),
      response: answers({ 200: userSchema }, 'not-found'),
    },
    handler: async (request) => {
      const id = parseUuid(request.params.id);
      const user = id === null ? null : await users.findById(id);
      if (user === null) throw new ServiceError('not-found', 'There is no such user.');
      return toUserBody(user);
    },
  });
}
