import type { TestResponse } from '../../drivers/app/test-app.ts';
import { canary } from './schema-arbitrary.ts';

/** The statuses of permanent rejections. No request may cause a 5xx. */
const rejections = [400, 403, 404, 405, 409];
const successes = [200, 201, 202, 204];
const uuidV7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** The violations of the rules that hold for every response, whatever the request was. */
export function findViolations({ statusCode, headers, body }: TestResponse): string[] {
  const isRejection = rejections.includes(statusCode);
  return [
    ...(isRejection || successes.includes(statusCode) ? [] : [`the status is ${statusCode}`]),
    ...(uuidV7.test(String(headers['x-request-id'])) ? [] : ['the request id is missing']),
    ...(isRejection && headers['content-type'] !== 'application/problem+json'
      ? ['a rejection is not problem+json']
      : []),
    ...(isRejection && body !== '' && (JSON.parse(body) as { status?: unknown }).status !== statusCode
      ? ['the problem has another status than the response']
      : []),
    ...(!successes.includes(statusCode) && body.includes(canary) ? ['the body repeats a sent value'] : []),
    ...(JSON.stringify(headers).includes(canary) ? ['a header repeats a sent value'] : []),
  ];
}
