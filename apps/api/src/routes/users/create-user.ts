import { ServiceError } from '@widget-service/shared/domain/errors.ts';
import type { createCreateUser } from '@widget-service/shared/usecases/access/create-user.ts';
import type { ZodApp } from '../../http/zod-app.ts';
import { answers } from '../../schemas/problem.ts';
import { newUserSchema, userSchema } from '../../schemas/user.ts';
import { toUserBody } from './user-body.ts';

export interface CreateUserRouteDeps {
  readonly createUser: ReturnType<typeof createCreateUser>;
}

/** `POST /api/v1/users`: creates a person who may sign in. */
export function registerCreateUser(app: ZodApp, { createUser }: CreateUserRouteDeps): void {
  app.post('/api/v1/users', {
    config: { policy: { permission: 'users:manage' } },
    schema: {
      operationId: 'example.users.create',
      summary: 'Create a user',
      security: [{ sessionCookie: [], csrfToken: [] }],
      body: newUserSchema,
      response: answers({ 201: { body: userSchema, headers: ['Location'] } }, 'email-in-use'),
    },
    handler: async (request, reply) => {
      const outcome = await createUser(request.body);
      if (outcome.status === 'email-in-use') {
        throw new ServiceError('email-in-use', 'Another user has this e-mail address.');
      }
      return reply.code(201).header('location', `users/${outcome.user.id}`).send(toUserBody(outcome.user));
    },
  });
}
