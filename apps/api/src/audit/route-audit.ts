import {
  type AuditAction,
  type AuditActor,
  type AuditEvent,
  type AuditMembers,
  type AuditTargetKind,
  toAuditName,
} from '@widget-service/shared/domain/audit-event.ts';
import { createUuidV7, parseUuid } from '@widget-service/shared/domain/uuid.ts';
import type { Clock } from '@widget-service/shared/runtime/clock.ts';
import { requestDeadlineMs } from '@widget-service/shared/runtime/deadline.ts';
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { type TrustedProxies, toClientNetwork } from '../http/forwarding.ts';
import type { Problem } from '../http/problem.ts';
import type { AuditRecorder } from './audit-recorder.ts';
import type { SampledEvent } from './audit-sampler.ts';
import type { HashText } from './hash-text.ts';

/** What a route that changes something does, for its audit events. */
export interface AuditDeclaration {
  readonly action: AuditAction;
  /** The action of an event whose outcome is not `succeeded`. Left out: the same action. */
  readonly refusedAs?: AuditAction;
  readonly target: {
    readonly kind: AuditTargetKind;
    /** `caller`: the signed-in user. `noted`: the handler notes it. `:name`: that parameter of the path, a UUID. */
    readonly id: 'caller' | 'noted' | `:${string}`;
  };
  /** The change concerns the caller alone, who can repeat it at will: repetitions are counted, not listed. */
  readonly countsRepetitions?: true;
}

/** The declaration, or why the route writes no audit event. */
export type RouteAudit = AuditDeclaration | { readonly none: string };

/** What a handler knows about its audit event. A member that is left out is null, or comes from the request. */
export interface AuditNotes {
  /** Of a change whose request may be repeated: each repetition is the same event. Left out: a new id. */
  readonly eventId?: string;
  /** When the handler started: a revocation is older than the ends of streams that it causes. Left out: now. */
  readonly startedAt?: Date;
  /** Left out: the caller. */
  readonly actor?: AuditActor;
  /** For an `actor` that is given here. */
  readonly actorName?: string | null;
  /** For a target with the id `noted`. */
  readonly targetId?: string | null;
  /** For a target other than the caller. */
  readonly targetName?: string | null;
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
 * A change with an audit event of its own. Left out: the caller is the actor, the outcome is `succeeded`, and there is
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

export interface RouteAuditDeps {
  readonly recorder: AuditRecorder;
  readonly hashText: HashText;
  readonly clock: Pick<Clock, 'now'>;
  readonly trustedProxies: TrustedProxies;
}

const safeMethods: readonly string[] = ['GET', 'HEAD', 'OPTIONS'];
/** How long a response waits for its event at least, however long the change took. */
const minimumWaitMs = 300;
const refusedByPolicy: readonly string[] = ['permission-denied', 'csrf-token-invalid'];

/**
 * Writes an audit event for every route that is registered after this call and declares one (`config.audit`), and for
 * every request of a known caller that lacks the permission or the CSRF token. Registering a route that changes
 * something without `config.audit` throws an `Error`, so that the service does not start.
 *
 * - The change took place: the event is durable before the response is sent, unless the store does not accept it (see
 *   `AuditWriter`), or it is only counted (`countsRepetitions`).
 * - Changes that it caused besides (`furtherChanges`) have such events, too.
 * - The handler answered with a problem: the event is sampled (see `AuditSampler`).
 * - The request lacks the permission or the CSRF token: `access.refused`, sampled. Any other request that does not get
 *   to its handler, such as an invalid one, gets no event.
 *
 * Call it after `registerPolicies`: the address is read before the policy runs.
 */
export function registerRouteAudit(app: FastifyInstance, deps: RouteAuditDeps): void {
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
    const record = makeRecord({ ...deps, declaration, operation });
    route.onRequest = [readAddress, ...[route.onRequest ?? []].flat()];
    route.preHandler = [...[route.preHandler ?? []].flat(), startNotes];
    route.onSend = [...[route.onSend ?? []].flat(), record];
  });
  app.addHook('onClose', () => deps.recorder.close());
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

interface RecordDeps extends RouteAuditDeps {
  readonly declaration: AuditDeclaration | null;
  readonly operation: string | null;
}

/** Makes the function that records the outcome of a request. It never rejects. */
function makeRecord({ recorder, hashText, clock, declaration, operation }: RecordDeps) {
  const describe = (request: FastifyRequest, action: AuditAction): SampledEvent => {
    const { problem, audit: notes } = request;
    return {
      id: notes?.eventId ?? createUuidV7(),
      occurredAt: notes?.startedAt ?? clock.now(),
      action,
      operation,
      outcome: problem === null ? 'succeeded' : problem.status >= 500 ? 'failed' : 'refused',
      code: problem?.code ?? null,
      ...describeActor(request),
      ...describeTarget(request, declaration),
      clientAddress: request.auditAddress,
      emailHmac: null,
      before: notes?.before ?? null,
      after: notes?.after ?? null,
      requestId: request.id,
    };
  };
  const describeChange = (request: FastifyRequest, change: FurtherChange): SampledEvent => ({
    ...describe(request, change.action),
    id: createUuidV7(),
    outcome: 'succeeded',
    code: null,
    ...change,
  });
  const sample = async (event: SampledEvent, email: string | null) =>
    recorder.sample({ ...event, emailHmac: email === null ? null : await hashText(email) });
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const waitMs = Math.max(minimumWaitMs, requestDeadlineMs - reply.elapsedTime);
    const write = (event: SampledEvent) => recorder.write({ ...event, unlisted: 0 }, waitMs);
    // Described first: the ids put them before the event of the request.
    const writes = (request.audit?.furtherChanges ?? []).map((change) => write(describeChange(request, change)));
    const action = findAction(request, declaration);
    if (action !== null) {
      const event = describe(request, action);
      // The response to a refused request must not wait for a store.
      if (event.outcome !== 'succeeded') return void sample(event, request.audit?.email ?? null);
      const isCounted = declaration?.countsRepetitions === true;
      writes.push(isCounted ? recorder.writeFirst({ ...event, unlisted: 0 }, waitMs) : write(event));
    }
    await Promise.all(writes);
  };
}

/** Returns null if the request gets no event. */
function findAction({ problem, audit }: FastifyRequest, declaration: AuditDeclaration | null): AuditAction | null {
  if (isAccessRefusal(problem)) return 'access.refused';
  if (declaration === null || audit === null || audit.isSkipped === true) return null;
  return problem === null ? declaration.action : (declaration.refusedAs ?? declaration.action);
}

function isAccessRefusal(problem: Problem | null): boolean {
  return problem !== null && refusedByPolicy.includes(problem.code);
}

function describeActor(request: FastifyRequest): Pick<AuditEvent, 'actor' | 'actorName'> {
  const { caller, audit: notes } = request;
  if (notes?.actor !== undefined) return { actor: notes.actor, actorName: notes.actorName ?? null };
  const actorName = nameCaller(request);
  if (caller === null) return { actor: { kind: 'anonymous', id: null }, actorName };
  return caller.kind === 'session'
    ? { actor: { kind: 'user', id: caller.user.id }, actorName }
    : { actor: { kind: 'provision-token', id: caller.provisionToken.id }, actorName };
}

function nameCaller({ caller }: FastifyRequest): string | null {
  if (caller === null) return null;
  return caller.kind === 'session' ? toAuditName(caller.user) : caller.provisionToken.name;
}

function describeTarget(
  request: FastifyRequest,
  declaration: AuditDeclaration | null,
): Pick<AuditEvent, 'target' | 'targetName'> {
  if (declaration === null) return { target: null, targetName: null };
  const { kind, id: source } = declaration.target;
  const id = findTargetId(request, source);
  if (id === null) return { target: null, targetName: null };
  const targetName = source === 'caller' ? nameCaller(request) : (request.audit?.targetName ?? null);
  return { target: { kind, id }, targetName };
}

/** A parameter that is no UUID names no resource: it could be anything, also a secret. */
function findTargetId({ caller, audit, params }: FastifyRequest, source: AuditDeclaration['target']['id']) {
  if (source === 'noted') return audit?.targetId ?? null;
  if (source === 'caller') return caller?.kind === 'session' ? caller.user.id : null;
  return parseUuid((params as Readonly<Record<string, string>>)[source.slice(1)] ?? '');
}
