import type { TestResponse } from '../../drivers/test-app.ts';
import { canary } from './schema-arbitrary.ts';

/** Statuses of a refusal for good. Nothing that a caller sends makes the service fail or be unavailable. */
const refusals = [400, 403, 404, 405, 409];
const successes = [200, 201, 202, 204];
const uuidV7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** What is wrong with an answer, whatever the request was; empty when nothing is. */
export function wrongsOf({ statusCode, headers, body }: TestResponse): string[] {
  const isRefusal = refusals.includes(statusCode);
  return [
    ...(isRefusal || successes.includes(statusCode) ? [] : [`the status is ${statusCode}`]),
    ...(uuidV7.test(String(headers['x-request-id'])) ? [] : ['there is no request id']),
    ...(isRefusal && headers['content-type'] !== 'application/problem+json' ? ['it is no problem+json'] : []),
    ...(isRefusal && body !== '' && (JSON.parse(body) as { status?: unknown }).status !== statusCode
      ? ['the problem names another status']
      : []),
    ...(!successes.includes(statusCode) && body.includes(canary) ? ['a value that was sent is told back'] : []),
    ...(JSON.stringify(headers).includes(canary) ? ['a value that was sent is told back in a header'] : []),
  ];
}
