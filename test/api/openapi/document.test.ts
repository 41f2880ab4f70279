import { createConfig, lintFromString } from '@redocly/openapi-core';
import { Validator } from '@seriousme/openapi-schema-validator';
import { problemKinds } from '@widget-service/api/http/problem-kinds.ts';
import { describe, expect, test } from 'vitest';
import { createSchemaCheck } from '../../drivers/app/check-answer.ts';
import { openSharedService } from '../../drivers/app/open-shared.ts';
import {
  fetchOpenApiDocument,
  type Json,
  type MediaType,
  type OpenApiOperation,
  resolveResponses,
} from '../../drivers/app/openapi-document.ts';
import { openTestApp } from '../../drivers/app/test-app.ts';

const service = await openSharedService();
const document = await fetchOpenApiDocument(service);
const operations = Object.entries(resolveResponses(document).paths).flatMap(([path, methods]) => {
  return Object.entries(methods).map(([method, operation]) => [`${method.toUpperCase()} ${path}`, operation] as const);
});

describe('GET /api/v1/openapi.json', () => {
  test('passes the strict recommended rules of Redocly', async () => {
    const config = await createConfig({
      extends: ['recommended-strict'],
      rules: {
        'operation-description': 'error',
        'operation-tag-defined': 'error',
        'operation-singular-tag': 'error',
        'operation-parameters-unique': 'error',
        'no-invalid-parameter-examples': 'error',
        'no-invalid-schema-examples': 'error',
        'tag-description': 'error',
        // A sign-in through the identity provider succeeds with a redirect. The next test checks what the rule would.
        'operation-2xx-response': 'off',
        'tags-alphabetical': 'off',
        'response-contains-header': { severity: 'error', names: { '2xx': ['X-Request-Id'], '4xx': ['X-Request-Id'] } },
      },
    });
    const problems = await lintFromString({ source: JSON.stringify(document), config });
    expect(problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer}`)).toEqual(
      [],
    );
  });

  test('declares a success of every operation: a 2xx, or a redirect of the browser', () => {
    const operations = Object.values(document.paths).flatMap((path) => Object.values(path as object));
    for (const { operationId, responses } of operations.filter((operation) => 'responses' in operation)) {
      expect(Object.keys(responses).join(' '), operationId).toMatch(/2\d\d|303/);
    }
  });

  test('is valid for a second OpenAPI validator', async () => {
    const { valid, errors } = await new Validator().validate(
      structuredClone(document) as object as Record<string, unknown>,
    );
    expect(errors ?? []).toEqual([]);
    expect(valid).toBe(true);
  });

  test('declares the statuses of the four original operations', () => {
    const statuses = Object.fromEntries(
      operations.map(([, { operationId, responses }]) => [operationId, Object.keys(responses)]),
    );
    expect(statuses).toMatchObject({
      'example.widgets.list': ['200', '400', '403', '429', '503'],
      'example.widgets.create': ['201', '400', '403', '409', '429', '503'],
      'example.events.stream': ['200', '404'],
      'example.events.receive': ['202', '400', '429', '503'],
    });
  });

  test('describes the events and widgets operations under their operationId', () => {
    expect(document.openapi).toMatch(/^3\.1/);
    expect(Object.fromEntries(operations.map(([endpoint, { operationId }]) => [operationId, endpoint]))).toMatchObject({
      'example.widgets.list': 'GET /api/v1/widgets',
      'example.widgets.create': 'POST /api/v1/widgets',
      'example.events.receive': 'POST /api/v1/events/hooks/{token}',
    });
  });

  test('describes the event stream by its one operation, its token and its responses', () => {
    const { get, ...others } = document.paths['/api/v1/events/{token}'] ?? {};
    expect(Object.keys(others)).toEqual([]);
    expect(get).toMatchObject({
      operationId: 'example.events.stream',
      parameters: expect.arrayContaining([expect.objectContaining({ name: 'token', in: 'path', required: true })]),
      responses: {
        200: { content: { 'text/event-stream': {} } },
        404: { content: { 'application/problem+json': {} } },
      },
    });
  });

  test('describes every route under /api/v1 except the documents themselves, and what only foreign senders ask', async () => {
    const app = await openTestApp();
    const registered = app.routes
      .filter(({ method, url }) => method !== 'HEAD' && method !== 'OPTIONS' && url.startsWith('/api/'))
      .map(({ method, url }) => `${method} ${url.replaceAll(/:(\w+)/g, '{$1}')}`);
    await app.close();
    const described = operations.map(([endpoint]) => endpoint);
    const others = ['GET /api/v1/openapi.json', 'GET /api/v1/asyncapi.json', 'GET /api/v1/events/hooks/{token}'];
    expect(registered).toEqual(expect.arrayContaining(others));
    expect(described.sort()).toEqual(registered.filter((endpoint) => !others.includes(endpoint)).sort());
  });

  test('lists PUBLIC_BASE_URL as the server, or "/" when it is not set', async () => {
    expect(document.servers.map(({ url }) => url)).toEqual(['/']);
    const app = await openTestApp({ PUBLIC_BASE_URL: 'https://example.com/widgets' });
    const response = await app.get('/api/v1/openapi.json');
    await app.close();
    expect(response.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(response.json().servers).toEqual([{ url: 'https://example.com/widgets' }]);
  });
});

describe('every operation', () => {
  test('has a unique operationId, one tag, a summary and a description', () => {
    const tagNames = document.tags.map(({ name }) => name);
    for (const [endpoint, { operationId, tags, summary, description }] of operations) {
      expect(operationId, endpoint).toMatch(/^example\.[a-z][a-zA-Z]*\.[a-z][a-zA-Z]*$/);
      expect(tagNames, endpoint).toEqual(expect.arrayContaining([...tags]));
      expect(tags, endpoint).toHaveLength(1);
      expect(summary, endpoint).toMatch(/^[A-Z].*[^.]$/);
      expect(description, endpoint).toMatch(/\S/);
    }
    expect(new Set(operations.map(([, { operationId }]) => operationId)).size).toBe(operations.length);
  });

  test('has a group and a name for generators that can leave the prefix of the operationId out', () => {
    for (const [endpoint, operation] of operations) {
      const { 'x-speakeasy-group': group, 'x-speakeasy-name-override': name } = operation as OpenApiOperation & Json;
      expect(`example.${group}.${name}`, endpoint).toBe(operation.operationId);
    }
  });

  test('has request and response examples that its schemas allow', () => {
    const findMistakes = createSchemaCheck(document);
    for (const [endpoint, media] of listBodies(operations)) {
      if ('text/event-stream' in media) continue;
      for (const { schema, example, examples } of Object.values(media)) {
        const values =
          examples === undefined ? [example] : Object.values(examples).map((named) => resolveReference(named).value);
        expect(values.length, endpoint).toBeGreaterThan(0);
        for (const value of values) {
          expect(value, endpoint).toBeDefined();
          expect(findMistakes(schema, value), endpoint).toEqual([]);
        }
      }
    }
  });

  test('returns errors as problem+json, with an example of each code under its status', () => {
    for (const [endpoint, { responses }] of operations) {
      for (const [status, { content = {} }] of Object.entries(responses)) {
        if (Number(status) < 400) continue;
        expect(Object.keys(content), endpoint).toEqual(['application/problem+json']);
        const codes = Object.keys(content['application/problem+json']?.examples ?? {});
        expect(codes.length, `${endpoint} ${status}`).toBeGreaterThan(0);
        for (const code of codes) {
          expect(problemKinds, endpoint).toHaveProperty(code);
          expect(problemKinds[code as keyof typeof problemKinds].status, `${endpoint} ${code}`).toBe(Number(status));
        }
      }
    }
  });

  test('references its body schemas by name', () => {
    for (const [endpoint, media] of listBodies(operations)) {
      if ('text/event-stream' in media) continue;
      for (const { schema } of Object.values(media)) {
        expect(schema, endpoint).toEqual({ $ref: expect.stringMatching(/^#\/components\/schemas\/[A-Z]/) });
      }
    }
  });
});

test('every time in a request has a pattern that accepts times in UTC and no other', () => {
  const times = listRequestSchemas().filter(({ format }) => format === 'date-time');
  expect(times.length).toBeGreaterThanOrEqual(12);
  for (const { pattern } of times) {
    const matches = new RegExp(String(pattern), 'u');
    expect(['2026-03-01T09:30:00Z', '2026-03-01T10:30:00+01:00', 'today'].filter((text) => matches.test(text))).toEqual(
      ['2026-03-01T09:30:00Z'],
    );
  }
});

test('the name of a new widget has a pattern without control characters and invisible ones', () => {
  const { properties } = (document.components.schemas?.NewWidget ?? {}) as { properties?: { name?: Json } };
  const matches = new RegExp(String(properties?.name?.pattern), 'u');
  expect(
    ['Pump 7', ' Pump 7\n', 'Pump\u00007', ' ', 'Pump\u202e7', 'Pump\u200b7', 'Pump\u{e0041}'].filter((text) =>
      matches.test(text),
    ),
  ).toEqual(['Pump 7', ' Pump 7\n']);
});

test('response schemas allow additional members; the schema of a new widget does not', () => {
  const { Widget, NewWidget, HookEvent } = document.components.schemas ?? {};
  expect(Widget).not.toHaveProperty('additionalProperties');
  expect(NewWidget).toMatchObject({ additionalProperties: false, required: ['name'] });
  expect(HookEvent).not.toHaveProperty('additionalProperties');
});

test('POST /api/v1/widgets declares two alternatives: a session with its CSRF token, or a provision token', () => {
  const create = resolveResponses(document).paths['/api/v1/widgets']?.post;
  expect(create?.security).toEqual([{ provisionToken: [] }, { sessionCookie: [], csrfToken: [] }]);
  expect(create?.responses['403']?.headers).toHaveProperty('WWW-Authenticate');
  expect(document.components.securitySchemes).toMatchObject({
    sessionCookie: { type: 'apiKey', in: 'cookie', name: 'service_console' },
    csrfToken: { type: 'apiKey', in: 'header', name: 'X-Csrf-Token' },
    provisionToken: { type: 'http', scheme: 'bearer' },
  });
});

/** Every request and response body of every operation, with a name for failure messages. */
function listBodies(all: typeof operations): (readonly [string, Readonly<Record<string, MediaType>>])[] {
  return all.flatMap(([, { operationId, requestBody, responses }]) => [
    ...(requestBody === undefined ? [] : [[`${operationId} sends`, requestBody.content] as const]),
    ...Object.entries(responses).flatMap(([status, { content }]) => {
      return content === undefined ? [] : [[`${operationId} answers ${status}`, content] as const];
    }),
  ]);
}

function resolveReference(part: Json): Json {
  const [, , kind = '', name = ''] = String(part.$ref ?? '').split('/');
  return document.components[kind]?.[name] ?? part;
}

/** Every schema in a parameter, or in a component that only requests have. */
function listRequestSchemas(): Json[] {
  const bodies = Object.entries(document.components.schemas ?? {}).filter(([name]) =>
    /^New|Changes$|^HookEvent$/.test(name),
  );
  const parameters = operations.flatMap(([, operation]) => operation.parameters ?? []);
  return listParts([...parameters, ...bodies.map(([, schema]) => schema)]);
}

function listParts(part: unknown): Json[] {
  if (typeof part !== 'object' || part === null) return [];
  return [part as Json, ...Object.values(part).flatMap(listParts)];
}
