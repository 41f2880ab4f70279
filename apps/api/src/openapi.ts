import { fastifySwagger } from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import { createJsonSchemaTransform } from 'fastify-type-provider-zod';
import { sessionCookieName } from './auth/session-cookie.ts';

/** Must be registered before the routes it is to describe. */
export function registerOpenApi(app: FastifyInstance): void {
  app.register(fastifySwagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title: 'Widget Service', version: '1', description: 'Widgets, hooks in, events out.' },
      components: {
        securitySchemes: {
          sessionCookie: { type: 'apiKey', in: 'cookie', name: sessionCookieName },
          csrfToken: { type: 'apiKey', in: 'header', name: 'X-Csrf-Token' },
        },
      },
    },
    transform: createJsonSchemaTransform({ skipList: [] }),
  });
}

/** `GET /api/v1/openapi.json`: the description of this interface. */
export function registerOpenApiRoute(app: FastifyInstance): void {
  let document: object | null = null;
  app.get('/api/v1/openapi.json', { config: { policy: 'public' }, schema: { hide: true } }, async () => {
    document ??= describe(app);
    return document;
  });
}

/**
 * `HEAD` is `GET` without a body, and would be described twice under one operation's name. Answers may get further
 * members within a version, so the description must not close their objects.
 */
function describe(app: FastifyInstance): object {
  const document = app.swagger();
  for (const path of Object.values(document.paths ?? {})) {
    delete (path as { head?: unknown }).head;
    for (const operation of Object.values(path as Record<string, { responses?: unknown }>)) {
      openObjects(operation.responses);
    }
  }
  return document;
}

function openObjects(schema: unknown): void {
  if (typeof schema !== 'object' || schema === null) return;
  const node = schema as Record<string, unknown>;
  if (node.additionalProperties === false) delete node.additionalProperties;
  for (const member of Object.values(node)) openObjects(member);
}
