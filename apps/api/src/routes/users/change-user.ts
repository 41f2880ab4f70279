import { ServiceError } from '@widget-service/shared/domain/errors.ts';
import { parseUuid } from '@widget-service/shared/domain/uuid.ts';
import type { createChangeUser } from '@widget-service/shared/usecases/access/change-user.ts';
import { z } from 'zod';
import type { ZodApp } from '../../http/zod-app.ts';
import { answers } from '../../schemas/problem.ts';
import { userChangesSchema, userSchema } from '../../schemas/user.ts';
import { toUserBody } from './user-body.ts';

export interface ChangeUserRouteDeps {
  readonly changeUser: ReturnType<typeof createChangeUser>;
}

/** `PATCH /api/v1/users/{id}`: changes a user's role or password, disables them or enables them again. */
export function registerChangeUser(app: ZodApp, { changeUser }: ChangeUserRouteDeps): void {
  app.patch('/api/v1/users/:id', {
    config: { policy: { permission: 'users:manage' } },
    schema: {
      operationId: 'example.users.update',
      summary: 'Change a user',
      description:
        'What is left out or null stays as it is. Disabling a user, or setting a password, ends their sessions.',
      security: [{ sessionCookie: [], csrfToken: [] }],
      params: z.object({ id: z.string() }),
      body: userChangesSchema,
      response: answers({ 200: userSchema }, 'not-found', 'last-admin'),
    },
    handler: async (request) => {
      const id = parseUuid(request.params.id);
      const { role = null, disabled = null, password = null } = request.body;
      const outcome = id === null ? unknown : await changeUser(id, { role, disabled, password });
      if (outcome.status === 'unknown') throw new ServiceError('not-found', 'There is no such user.');
      if (outcome.status === 'last-admin') {
        throw new ServiceError('last-admin', 'This would leave the service without an admin who can sign in.');
      }
      return toUserBody(outcome.user);
    },
  });
}

const unknown = { status: 'unknown' } as const;
