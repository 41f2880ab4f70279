import { expect, test } from 'vitest';
import { shareResponses } from './describe-responses.ts';

const problem = (code: string, description: string) => ({
  description,
  content: { 'application/problem+json': { examples: { [code]: {} } } },
});
const shared = (name: string) => ({ $ref: `#/components/responses/${name}` });

test('makes one component of a response that several operations have, and leaves the others as they are', () => {
  const known = problem('not-found', 'No such thing.');
  const alone = problem('last-admin', 'Not the last one.');
  const done = { description: 'Done.' };
  const paths = {
    '/a': { get: { summary: 'A', responses: { 200: done, 404: known } } },
    '/b': { get: { responses: { 200: done, 404: known, 409: alone } } },
  };
  expect(shareResponses(paths)).toEqual({
    paths: {
      '/a': { get: { summary: 'A', responses: { 200: done, 404: shared('NotFound') } } },
      '/b': { get: { responses: { 200: done, 404: shared('NotFound'), 409: alone } } },
    },
    responses: { NotFound: known },
  });
});

test('never mixes up two responses with the same codes', () => {
  const [first, second] = [problem('rate-limited', 'Of the caller.'), problem('rate-limited', 'Of the token.')];
  const paths = {
    '/a': { get: { responses: { 429: first } }, put: { responses: { 429: first } } },
    '/b': { get: { responses: { 429: second } }, put: { responses: { 429: second } } },
  };
  const { paths: changed, responses } = shareResponses(paths);
  const resolve = (response: unknown) => {
    const name = /^#\/components\/responses\/(\w+)$/.exec((response as { $ref?: string }).$ref ?? '')?.[1];
    return name === undefined ? response : responses[name];
  };
  for (const method of ['get', 'put']) {
    const responsesAt = (path: string) => changed[path]?.[method]?.responses as Record<string, unknown>;
    expect(resolve(responsesAt('/a')[429])).toEqual(first);
    expect(resolve(responsesAt('/b')[429])).toEqual(second);
  }
});
