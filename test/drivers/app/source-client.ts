import { createHmac } from 'node:crypto';
import type { ProblemCode } from '@widget-service/shared/domain/errors.ts';
import { expect } from 'vitest';
import { expectProblem } from './expect-problem.ts';
import type { TestApp, TestResponse } from './test-app.ts';

export const integrationsPath = '/api/v1/integrations';

/** What the integrations of `createGitHub` have. */
export const secret = 'a secret for GitHub';
export const mapping = { kind: { from: '/action', values: { archived: 'retired' }, otherwise: 'updated' } };
export const github = { preset: 'github', secrets: [secret], mapping };

/** A source without signatures. */
export const unsigned = (changed: object = {}, kind: object = { value: 'updated' }) => ({
  preset: 'custom',
  scheme: { algorithm: 'none' },
  mapping: { kind, id: null, ...changed },
});

/** A source of a sender with a scheme of its own. */
export const withScheme = (scheme: object, ...secrets: string[]) => ({
  ...unsigned(),
  scheme,
  secrets: secrets.length === 0 ? [secret] : secrets,
});

export function expectRefused(response: TestResponse, code: ProblemCode, status = 400): void {
  expectProblem(response, { status, code });
}

/** Sends what a test of sources sends, with these headers of an admin. */
export function makeSourceClient(service: Pick<TestApp, 'inject'>, headers: Readonly<Record<string, string>>) {
  const send = (method: 'GET' | 'POST' | 'PUT' | 'PATCH', url: string, payload?: object) =>
    service.inject({ method, url, headers, ...(payload === undefined ? {} : { payload }) });
  const create = (source: object | null, members: object = {}) =>
    send('POST', integrationsPath, { name: 'foreign', source, ...members });
  const sign = (body: string, signedWith: string) => ({
    'x-hub-signature-256': `sha256=${createHmac('sha256', signedWith).update(body).digest('hex')}`,
    'x-github-delivery': `${Math.random()}`,
  });
  return {
    send,
    create,
    /** The headers with which GitHub sends this body. */
    sign,
    createGitHub: async (changed: object = {}) => {
      const response = await create({ ...github, mapping: { ...mapping, ...changed } });
      expect(response.statusCode).toBe(201);
      const { id, token } = response.json() as { id: string; token: string };
      return { id, hookPath: `/api/v1/events/hooks/${token}` };
    },
    /** Posts a hook as GitHub does. */
    post: (
      hookPath: string,
      body: string,
      { type = 'application/json', signedWith = secret, ...more }: Readonly<Record<string, string>> = {},
    ) => {
      const headers = { 'content-type': type, ...sign(body, signedWith), ...more };
      return service.inject({ method: 'POST', url: hookPath, headers, payload: body });
    },
    /** What a preview says of a request to a source that is not saved. */
    previewOf: async (source: object, request: { headers?: object; body: string }) => {
      const response = await send('POST', `${integrationsPath}/preview`, { source, ...request });
      expect(response.statusCode).toBe(200);
      return response.json();
    },
  };
}
