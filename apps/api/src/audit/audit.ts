import { createUuidV7, parseUuid } from '@widget-service/shared/domain/uuid.ts';
import {
  type AuditEvent,
  type AuditMembers,
  type auditTargetKinds,
  toAuditName,
} from '@widget-service/shared/entities/audit-event.ts';
import { type Clock, requestDeadlineMs } from '@widget-service/shared/runtime/clock.ts';
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { type TrustedProxies, toClientNetwork } from '../http/forwarding.ts';
import type { AuditTrail } from './audit-trail.ts';
import type { HashText } from './hash-text.ts';

/** What a route that changes something does, for its audit events. */
export interface AuditDeclaration {
  readonly action: AuditEvent['action'];
  /** The action of an event whose outcome is not `succeeded`. Default: the same action. */
  readonly refusedAs?: AuditEvent['action'];
  readonly target: {
    readonly kind: (typeof auditTargetKinds)[number];
    /** `caller`: the signed-in user. `noted`: the handler notes it. `:name`: that parameter of the path, a UUID. */
    readonly id: 'caller' | 'noted' | `:${string}`;
  };
  /** The change concerns the caller alone, who can repeat it at will: repetitions are counted, not listed. */
  readonly countsRepetitions?: true;
}

/** The declaration, or why the route writes no audit event. */
export type RouteAudit = AuditDeclaration | { readonly none: string };

/**
 * What a handler knows about its audit event. A member that is left out is null, or comes from the request: the caller
 * is the actor.
 */
export interface AuditNotes extends Partial<Pick<AuditEvent, 'actor' | 'actorName' | 'targetName'>> {
  /** The id of the event, the same for each repetition of a request. Default: a new id. */
  readonly eventId?: string;
  /** When the handler started: a revocation is older than the ends of streams that it causes. Default: now. */
  readonly startedAt?: Date;
  /** For a target with the id `noted`. */
  readonly targetId?: string | null;
  readonly before?: AuditMembers | null;
  readonly after?: AuditMembers | null;
  /** The e-mail of a sign-in. Only its HMAC is stored, and only if the sign-in fails. */
  readonly email?: string;
  /** Changes that the request caused besides, in their order, whatever the outcome of the request. */
  readonly furtherChanges?: readonly FurtherChange[];
  /** The request is worth no event: it changed nothing, or it is one of too many. */
  readonly isSkipped?: boolean;
}

/**
 * A change with an audit event of its own. Default: the caller is the actor, the outcome is `succeeded`, and there is
 * no code.
 */
export type FurtherChange = Pick<AuditEvent, 'action' | 'target' | 'targetName' | 'before' | 'after'> &
  Partial<Pick<AuditEvent, 'actor' | 'actorName' | 'outcome' | 'code'>>;

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * Every route with a method other than GET, HEAD and OPTIONS declares it. So does a GET that changes something,
     * such as a link that ends a sign-in.
     */
    audit?: RouteAudit;
  }

  interface FastifyRequest {
    /** Null until the handler starts, and on routes without an `AuditDeclaration`. Call `noteAudit` to add to it. */
    audit: AuditNotes | null;
    /** The address that rate limits count, read when the request arrived. Null if it cannot be known. */
    auditAddress: string | null;
  }
}

/** Adds to what the handler knows about the request's audit event. */
export function noteAudit(request: FastifyRequest, notes: AuditNotes): void {
  request.audit = { ...request.audit, ...notes };
}

export interface AuditDeps {
  readonly audit: Pick<AuditTrail, 'write' | 'writeFirst' | 'sample' | 'close'>;
  readonly hashText: HashText;
  readonly clock: Pick<Clock, 'now'>;
  readonly trustedProxies: TrustedProxies;
}

const safeMethods: readonly string[] = ['GET', 'HEAD', 'OPTIONS'];
/** How long a response waits for its event at least, however long the change took. */
const minimumWaitMs = 300;

/**
 * Writes an audit event for every route that is registered after this call and declares one (`config.audit`), and for
 * every request of a known caller that lacks the permission or the CSRF token. Registering a route that changes
 * something without `config.audit` throws an `Error`, so that the service does not start.
 *
 * - The change took place: the event is durable before the response is sent, unless the store does not accept it (see
 *   `AuditTrail`), or it is only counted (`countsRepetitions`).
 * - Changes that it caused besides (`furtherChanges`) have such events, too.
 * - The handler answered with a problem: the event is sampled.
 * - The request lacks the permission or the CSRF token: `access.refused`, sampled. Any other request that does not get
 *   to its handler, such as an invalid one, gets no event.
 *
 * Call it after `registerPolicies`: the address is read before the policy runs.
 */
export function registerAudit(app: FastifyInstance, deps: AuditDeps): void {
  app.decorateRequest('audit', null);
  app.decorateRequest('auditAddress', null);
  app.addHook('onRoute', (route) => {
    const declaration = readDeclaration(route);
    const policy = route.config?.policy;
    // Streams and hooks have many requests, and their callers have no permissions.
    if (declaration === null && (policy === 'public' || policy === 'hook-token')) return;
    const operation = route.schema?.operationId ?? null;
    const readAddress = async (request: FastifyRequest) => {
      request.auditAddress = toClientNetwork(request, deps.trustedProxies);
    };
    const startNotes = async (request: FastifyRequest) => {
      if (declaration !== null) request.audit = { startedAt: deps.clock.now() };
    };
    const recordOutcome = (request: FastifyRequest, reply: FastifyReply) =>
      record(deps, { declaration, operation }, request, requestDeadlineMs - reply.elapsedTime);
    route.onRequest = [readAddress, ...[route.onRequest ?? []].flat()];
    route.preHandler = [...[route.preHandler ?? []].flat(), startNotes];
    route.onSend = [...[route.onSend ?? []].flat(), recordOutcome];
  });
  app.addHook('onClose', () => deps.audit.close());
}

function readDeclaration({ method, url, config }: RouteOptions): AuditDeclaration | null {
  const audit = config?.audit;
  if (audit === undefined) {
    if ([method].flat().every((name) => safeMethods.includes(name))) return null;
    throw new Error(
      `Route ${method} ${url} changes something and declares no audit action: add it to process/routes.ts.`,
    );
  }
  return 'none' in audit ? null : audit;
}

interface AuditedRoute {
  readonly declaration: AuditDeclaration | null;
  readonly operation: string | null;
}

/** Records the outcome of a request. Never rejects. */
async function record(
  { audit, hashText, clock }: AuditDeps,
  { declaration, operation }: AuditedRoute,
  request: FastifyRequest,
  msUntilDeadline: number,
): Promise<void> {
  const waitMs = Math.max(minimumWaitMs, msUntilDeadline);
  const { problem, audit: notes } = request;
  const origin = {
    occurredAt: notes?.startedAt ?? clock.now(),
    operation,
    ...describeActor(request),
    clientAddress: request.auditAddress,
    emailHmac: null,
    requestId: request.id,
    unlisted: 0,
  };
  const succeeded = { outcome: 'succeeded', code: null } as const;
  // Their ids are the first, which puts them before the event of the request.
  const writes = (notes?.furtherChanges ?? []).map((change) =>
    audit.write({ ...origin, ...succeeded, ...change, id: createUuidV7() }, waitMs),
  );
  const action = findAction(request, declaration);
  if (action !== null) {
    const event: AuditEvent = {
      ...origin,
      ...succeeded,
      id: notes?.eventId ?? createUuidV7(),
      action,
      ...describeTarget(request, declaration),
      before: notes?.before ?? null,
      after: notes?.after ?? null,
    };
    if (problem !== null) {
      const outcome = problem.status >= 500 ? 'failed' : 'refused';
      // The response to a refused request must not wait for a store.
      const hash = notes?.email === undefined ? Promise.resolve(null) : hashText(notes.email);
      void hash.then((emailHmac) => audit.sample({ ...event, outcome, code: problem.code, emailHmac }));
    } else if (declaration?.countsRepetitions === true) writes.push(audit.writeFirst(event, waitMs));
    else writes.push(audit.write(event, waitMs));
  }
  await Promise.all(writes);
}

/** Returns null if the request gets no event. */
function findAction({ problem, audit }: FastifyRequest, declaration: AuditDeclaration | null) {
  if (problem?.code === 'permission-denied' || problem?.code === 'csrf-token-invalid') return 'access.refused';
  if (declaration === null || audit === null || audit.isSkipped === true) return null;
  return problem === null ? declaration.action : (declaration.refusedAs ?? declaration.action);
}

function describeActor(request: FastifyRequest): Pick<AuditEvent, 'actor' | 'actorName'> {
  const { caller, audit: notes } = request;
  if (notes?.actor !== undefined) return { actor: notes.actor, actorName: notes.actorName ?? null };
  if (caller === null) return { actor: { kind: 'anonymous', id: null }, actorName: null };
  return caller.kind === 'session'
    ? { actor: { kind: 'user', id: caller.user.id }, actorName: toAuditName(caller.user) }
    : { actor: { kind: 'provision-token', id: caller.provisionToken.id }, actorName: caller.provisionToken.name };
}

/** A parameter that is no UUID names no resource: it could be anything, also a secret. */
function describeTarget(
  { caller, audit, params }: FastifyRequest,
  declaration: AuditDeclaration | null,
): Pick<AuditEvent, 'target' | 'targetName'> {
  const none = { target: null, targetName: null };
  if (declaration === null) return none;
  const { kind, id: source } = declaration.target;
  if (source === 'caller') {
    if (caller?.kind !== 'session') return none;
    return { target: { kind, id: caller.user.id }, targetName: toAuditName(caller.user) };
  }
  const id =
    source === 'noted'
      ? (audit?.targetId ?? null)
      : parseUuid((params as Readonly<Record<string, string>>)[source.slice(1)] ?? '');
  return id === null ? none : { target: { kind, id }, targetName: audit?.targetName ?? null };
}
