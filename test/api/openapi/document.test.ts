import { createConfig, lintFromString } from '@redocly/openapi-core';
import { Validator } from '@seriousme/openapi-schema-validator';
import { problemKinds } from '@widget-service/api/http/problem-kinds.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createSchemaCheck } from '../../drivers/check-answer.ts';
import {
  fetchOpenApiDocument,
  type Json,
  type MediaType,
  type OpenApiDocument,
  type OpenApiOperation,
} from '../../drivers/openapi-document.ts';
import { openTestApp } from '../../drivers/test-app.ts';
import { openTestService, type TestService } from '../../drivers/test-service.ts';

let service: TestService;
let document: OpenApiDocument;
let operations: readonly (readonly [string, OpenApiOperation])[];
beforeAll(async () => {
  service = await openTestService();
  document = await fetchOpenApiDocument(service);
  operations = Object.entries(document.paths).flatMap(([path, methods]) => {
    return Object.entries(methods).map(
      ([method, operation]) => [`${method.toUpperCase()} ${path}`, operation] as const,
    );
  });
});
afterAll(() => service.close());

describe('the document', () => {
  test('passes the recommended rules of Redocly, each as an error', async () => {
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
        'tags-alphabetical': 'off',
        'response-contains-header': { severity: 'error', names: { '2xx': ['X-Request-Id'], '4xx': ['X-Request-Id'] } },
      },
    });
    const problems = await lintFromString({ source: JSON.stringify(document), config });
    expect(problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer}`)).toEqual(
      [],
    );
  });

  test('is OpenAPI 3.1 for a second validator too', async () => {
    const { valid, errors } = await new Validator().validate(
      structuredClone(document) as object as Record<string, unknown>,
    );
    expect(errors ?? []).toEqual([]);
    expect(valid).toBe(true);
  });

  test('describes the four operations with the statuses that they have always had, and their additions', () => {
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

  test('describes every route under /api/v1 but itself', async () => {
    const app = await openTestApp();
    const registered = app.routes
      .filter(({ method, url }) => method !== 'HEAD' && method !== 'OPTIONS' && url.startsWith('/api/'))
      .map(({ method, url }) => `${method} ${url.replaceAll(/:(\w+)/g, '{$1}')}`);
    await app.close();
    const described = operations.map(([place]) => place);
    const stream = 'GET /api/v1/events/{token}';
    expect(described).toContain(stream);
    expect(described.filter((place) => place !== stream).sort()).toEqual(
      registered.filter((place) => place !== 'GET /api/v1/openapi.json').sort(),
    );
  });

  test('names the address that the operator has set, else the root of where it is found', async () => {
    expect(document.servers.map(({ url }) => url)).toEqual(['/']);
    const app = await openTestApp({ publicBaseUrl: 'https://example.com/widgets' });
    const response = await app.inject({ method: 'GET', url: '/api/v1/openapi.json' });
    await app.close();
    expect(response.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(response.json().servers).toEqual([{ url: 'https://example.com/widgets' }]);
  });
});

describe('every operation', () => {
  test('has a name of its own after its anchor, one group, a summary and a description', () => {
    const groups = document.tags.map(({ name }) => name);
    for (const [place, { operationId, tags, summary, description }] of operations) {
      expect(operationId, place).toMatch(/^example\.[a-z][a-zA-Z]*\.[a-z][a-zA-Z]*$/);
      expect(groups, place).toEqual(expect.arrayContaining([...tags]));
      expect(tags, place).toHaveLength(1);
      expect(summary, place).toMatch(/^[A-Z].*[^.]$/);
      expect(description, place).toMatch(/\S/);
    }
    expect(new Set(operations.map(([, { operationId }]) => operationId)).size).toBe(operations.length);
  });

  test('has examples of what is sent and answered that its schemas allow', () => {
    const mistakesOf = createSchemaCheck(document);
    for (const [place, media] of bodiesOf(operations)) {
      if ('text/event-stream' in media) continue;
      for (const { schema, example, examples } of Object.values(media)) {
        const given = examples === undefined ? [example] : Object.values(examples).map((each) => resolve(each).value);
        expect(given.length, place).toBeGreaterThan(0);
        for (const value of given) {
          expect(value, place).toBeDefined();
          expect(mistakesOf(schema, value), place).toEqual([]);
        }
      }
    }
  });

  test('refuses with problems, and shows each code at the status that the code has', () => {
    for (const [place, { responses }] of operations) {
      for (const [status, { content = {} }] of Object.entries(responses)) {
        if (Number(status) < 400) continue;
        expect(Object.keys(content), place).toEqual(['application/problem+json']);
        const codes = Object.keys(content['application/problem+json']?.examples ?? {});
        expect(codes.length, `${place} ${status}`).toBeGreaterThan(0);
        for (const code of codes) {
          expect(problemKinds, place).toHaveProperty(code);
          expect(problemKinds[code as keyof typeof problemKinds].status, `${place} ${code}`).toBe(Number(status));
        }
      }
    }
  });

  test('refers to its bodies by name', () => {
    for (const [place, media] of bodiesOf(operations)) {
      if ('text/event-stream' in media) continue;
      for (const { schema } of Object.values(media)) {
        if (place.endsWith('example.session.createStream sends')) continue;
        expect(schema, place).toEqual({ $ref: expect.stringMatching(/^#\/components\/schemas\/[A-Z]/) });
      }
    }
  });
});

test('an answer may get further members; what is sent may not', () => {
  const { Widget, NewWidget, HookEvent } = document.components.schemas ?? {};
  expect(Widget).not.toHaveProperty('additionalProperties');
  expect(NewWidget).toMatchObject({ additionalProperties: false, required: ['name'] });
  expect(HookEvent).not.toHaveProperty('additionalProperties');
});

test('the credentials of create are a session with its CSRF token, or a provision token', () => {
  const create = document.paths['/api/v1/widgets']?.post;
  expect(create?.security).toEqual([{ sessionCookie: [], csrfToken: [] }, { provisionToken: [] }]);
  expect(create?.responses['403']?.headers).toHaveProperty('WWW-Authenticate');
  expect(document.components.securitySchemes).toMatchObject({
    sessionCookie: { type: 'apiKey', in: 'cookie', name: 'service_console' },
    csrfToken: { type: 'apiKey', in: 'header', name: 'X-Csrf-Token' },
    provisionToken: { type: 'http', scheme: 'bearer' },
  });
});

/** Every body of every operation, by a name for it. */
function bodiesOf(all: typeof operations): (readonly [string, Readonly<Record<string, MediaType>>])[] {
  return all.flatMap(([, { operationId, requestBody, responses }]) => [
    ...(requestBody === undefined ? [] : [[`${operationId} sends`, requestBody.content] as const]),
    ...Object.entries(responses).flatMap(([status, { content }]) => {
      return content === undefined ? [] : [[`${operationId} answers ${status}`, content] as const];
    }),
  ]);
}

function resolve(part: Json): Json {
  const [, , kind = '', name = ''] = String(part.$ref ?? '').split('/');
  return document.components[kind]?.[name] ?? part;
}
