import { problemKinds } from '@widget-service/api/http/problem-kinds.ts';
import type { CreateOperation, HookOperation, Recording } from '../drivers/cluster/recording.ts';
import type { Checker } from './evidence.ts';

/**
 * The statuses that may refuse a valid request. A create may also get 409, for a key that was used with another body. A
 * hook whose token is revoked may also get 400.
 */
const temporaryStatuses = [429, 503];
const createStatuses = [...temporaryStatuses, 409];
const revokedStatuses = [...temporaryStatuses, 400];

/**
 * C7: every refusal is a problem document with a status of the contract, and never 500. A valid request is only refused
 * temporarily. No stream that may exist is answered with anything but 200: a browser would not reconnect.
 */
export const refusalsAreProblems: Checker = ({ recording }) => [
  ...recording.hooks.flatMap((hook) =>
    findProblems('a hook', hook, hook.revocation === null ? temporaryStatuses : revokedStatuses),
  ),
  ...recording.creates.flatMap((create) => findProblems('a create', create, createStatuses)),
  ...recording.hooks.filter(({ outcome, status }) => outcome === 'ok' && status !== 202).map(describeWrongSuccess),
  ...recording.creates.filter(({ outcome, status }) => outcome === 'ok' && status !== 201).map(describeWrongSuccess),
  ...findClosedStreams(recording),
];

function describeWrongSuccess({ status, startedAtMs }: HookOperation | CreateOperation): string {
  return `a request at ${Math.round(startedAtMs)} ms was answered ${status}`;
}

function findProblems(what: string, operation: HookOperation | CreateOperation, allowed: readonly number[]): string[] {
  const { refusal, status, startedAtMs } = operation;
  if (refusal === null) return [];
  const name = `${what} at ${Math.round(startedAtMs)} ms was refused with ${status}`;
  const problems: string[] = [];
  if (!allowed.includes(status)) problems.push(`${name}: ${refusal.body.slice(0, 200)}`);
  if (refusal.contentType !== 'application/problem+json') problems.push(`${name} as ${refusal.contentType}`);
  if (temporaryStatuses.includes(status) && !(Number(refusal.retryAfter) >= 1))
    problems.push(`${name} without Retry-After`);
  if (!isProblem(refusal.body, status)) problems.push(`${name} by ${refusal.body.slice(0, 200)}`);
  return problems;
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

function findClosedStreams({ streams, revocations }: Recording): string[] {
  const revoked = new Set(revocations.map(({ subscriptionId }) => subscriptionId));
  return streams.flatMap(({ name, closedBy, subscriptionId }) => {
    if (closedBy === null || closedBy === 'client') return [];
    if (closedBy.status === 404 && revoked.has(subscriptionId)) return [];
    return [`${name} is CLOSED by ${closedBy.status}${closedBy.isOurs ? '' : ' of the load balancer'}`];
  });
}
