import { problemKinds } from '@widget-service/api/http/problem-kinds.ts';
import type { CreateOperation, HookOperation, Recording } from '../drivers/recording.ts';
import type { Checker } from './evidence.ts';

/** What may be said to a request with nothing wrong in it; and 409 to a key that was used for another body. */
const temporary = [429, 503];
const ofCreates = [...temporary, 409];

/**
 * C7: every refusal is a problem document with a status that the contract has for it, and never 500. A valid request is
 * only ever refused for a while, and no stream that may be there is answered with anything but 200: a browser would not
 * come back.
 */
export const refusalsAreProblems: Checker = ({ recording }) => [
  ...recording.hooks.flatMap((each) => problemsOf('a hook', each, temporary)),
  ...recording.creates.flatMap((each) => problemsOf('a create', each, ofCreates)),
  ...recording.hooks.filter(({ outcome, status }) => outcome === 'ok' && status !== 202).map(wrongSuccess),
  ...recording.creates.filter(({ outcome, status }) => outcome === 'ok' && status !== 201).map(wrongSuccess),
  ...closedStreams(recording),
];

function wrongSuccess({ status, startedAtMs }: HookOperation | CreateOperation): string {
  return `a request at ${Math.round(startedAtMs)} ms was answered ${status}`;
}

function problemsOf(what: string, operation: HookOperation | CreateOperation, allowed: readonly number[]): string[] {
  const { refusal, status, startedAtMs } = operation;
  if (refusal === null) return [];
  const name = `${what} at ${Math.round(startedAtMs)} ms was refused with ${status}`;
  const found: string[] = [];
  if (!allowed.includes(status)) found.push(`${name}: ${refusal.body.slice(0, 200)}`);
  if (refusal.contentType !== 'application/problem+json') found.push(`${name} as ${refusal.contentType}`);
  if (temporary.includes(status) && !(Number(refusal.retryAfter) >= 1)) found.push(`${name} without Retry-After`);
  if (!isProblem(refusal.body, status)) found.push(`${name} by ${refusal.body.slice(0, 200)}`);
  return found;
}

function isProblem(text: string, status: number): boolean {
  try {
    const body = JSON.parse(text) as Record<string, unknown>;
    const isKnown = typeof body.code === 'string' && body.code in problemKinds;
    return isKnown && body.status === status && body.type === `/problems/${body.code}` && 'requestId' in body;
  } catch {
    return false;
  }
}

function closedStreams({ streams, revocations }: Recording): string[] {
  const revoked = new Set(revocations.map(({ subscriptionId }) => subscriptionId));
  return streams.flatMap(({ name, closedBy, subscriptionId }) => {
    if (closedBy === null || closedBy === 'client') return [];
    if (closedBy.status === 404 && revoked.has(subscriptionId)) return [];
    return [`${name} is CLOSED by ${closedBy.status}${closedBy.isOurs ? '' : ' of the balancer'}`];
  });
}
