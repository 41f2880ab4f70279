import type { LogPosition } from '@widget-service/shared/domain/cursor.ts';
import type { Backend } from '@widget-service/shared/ports/backend.ts';
import type { Integration } from '@widget-service/shared/ports/integration-store.ts';
import type { ProvisionToken } from '@widget-service/shared/ports/provision-token-store.ts';
import type { RateLimiter } from '@widget-service/shared/ports/rate-limiter.ts';
import type { Subscription } from '@widget-service/shared/ports/subscription-store.ts';
import type { Clock } from '@widget-service/shared/runtime/clock.ts';
import { createChangeOwnPassword } from '@widget-service/shared/usecases/access/change-own-password.ts';
import { createChangeUser } from '@widget-service/shared/usecases/access/change-user.ts';
import { createCreateUser } from '@widget-service/shared/usecases/access/create-user.ts';
import {
  createEndAllSessions,
  createEndOtherSessions,
  createEndSession,
} from '@widget-service/shared/usecases/access/end-sessions.ts';
import { createPasswordHasher } from '@widget-service/shared/usecases/access/hash-password.ts';
import { createIssuePersonalStream } from '@widget-service/shared/usecases/access/issue-personal-stream.ts';
import { createLimitPasswordTries } from '@widget-service/shared/usecases/access/limit-password-tries.ts';
import { createGrantUseCases } from '@widget-service/shared/usecases/access/manage-grants.ts';
import { createFindSession, createStartSession } from '@widget-service/shared/usecases/access/sessions.ts';
import { createSignIn } from '@widget-service/shared/usecases/access/sign-in.ts';
import { createSignInLimits } from '@widget-service/shared/usecases/access/sign-in-limits.ts';
import { createAcceptHook } from '@widget-service/shared/usecases/hooks/accept-hook.ts';
import type { GroupCommit } from '@widget-service/shared/usecases/hooks/group-commit.ts';
import { createListDeliveries } from '@widget-service/shared/usecases/hooks/list-deliveries.ts';
import { createRedriveDelivery } from '@widget-service/shared/usecases/hooks/redrive-delivery.ts';
import { createCreateWidget } from '@widget-service/shared/usecases/widgets/create-widget.ts';
import { createListWidgets } from '@widget-service/shared/usecases/widgets/list-widgets.ts';
import { widgetAnswer } from './routes/widgets/widget-body.ts';

export interface UseCaseDeps {
  readonly backend: Pick<
    Backend,
    | 'widgets'
    | 'ledger'
    | 'users'
    | 'sessions'
    | 'personalStreams'
    | 'subscriptions'
    | 'integrations'
    | 'provisionTokens'
    | 'control'
  >;
  /** The pod's one gate to the hook queue. */
  readonly gate: Pick<GroupCommit, 'submit'>;
  readonly clock: Clock;
  readonly tailPosition: () => LogPosition | null;
  readonly sessionIdleMs: number;
  readonly sessionLifetimeMs: number;
  readonly rateLimiter: RateLimiter;
  /** Per account and address; 0: no limit. */
  readonly signInFailuresPerMinute: number;
}

export type UseCases = ReturnType<typeof createUseCases>;

/** What the routes can have done, over one backend. */
export function createUseCases(deps: UseCaseDeps) {
  const { backend, gate, clock } = deps;
  const { widgets, users, sessions, control } = backend;
  /** The outbox is stored: where the word does not get through, the scanner finds it. */
  const nudge = (widgetId: string): void => {
    gate.submit({ type: 'nudge', widgetId }).catch(() => undefined);
  };
  const passwords = createPasswordHasher();
  const limitPasswordTries = createLimitPasswordTries(
    createSignInLimits({ limiter: deps.rateLimiter, failuresPerMinute: deps.signInFailuresPerMinute }),
  );
  const startSession = createStartSession({ sessions, clock, sessionLifetimeMs: deps.sessionLifetimeMs });
  const endAllSessions = createEndAllSessions({ sessions, control });
  const endOtherSessions = createEndOtherSessions({ sessions, control });
  return {
    createWidget: createCreateWidget({ widgets, clock, answer: widgetAnswer, nudge }),
    listWidgets: createListWidgets({ widgets, clock, tailPosition: deps.tailPosition }),
    limitPasswordTries,
    signIn: createSignIn({ users, passwords, startSession, clock }),
    findSession: createFindSession({ sessions, users, clock, sessionIdleMs: deps.sessionIdleMs }),
    endSession: createEndSession({ sessions, control }),
    endAllSessions,
    changeOwnPassword: createChangeOwnPassword({ users, passwords, limitPasswordTries, endOtherSessions }),
    issuePersonalStream: createIssuePersonalStream({
      personalStreams: backend.personalStreams,
      clock,
      tailPosition: deps.tailPosition,
    }),
    createUser: createCreateUser({ users, passwords, clock }),
    changeUser: createChangeUser({ users, passwords, endAllSessions }),
    ...createGrantUseCasesOf(backend, clock),
    acceptHook: createAcceptHook({ gate, clock }),
    listDeliveries: createListDeliveries(backend),
    redriveDelivery: createRedriveDelivery({ ledger: backend.ledger, gate }),
  };
}

/** The same decisions for each kind of grant, over its own store. */
function createGrantUseCasesOf(backend: UseCaseDeps['backend'], clock: Clock) {
  const { subscriptions, integrations, provisionTokens, control } = backend;
  const shared = { control, clock };
  return {
    subscriptions: createGrantUseCases<Pick<Subscription, 'filter'>>({
      ...shared,
      grants: subscriptions,
      kind: 'subscription',
      prefix: 'wst',
    }),
    integrations: createGrantUseCases<Pick<Integration, 'deduplicateByContent' | 'rate'>>({
      ...shared,
      grants: integrations,
      kind: 'integration',
      prefix: 'wht',
    }),
    provisionTokens: createGrantUseCases<Pick<ProvisionToken, 'permissions'>>({
      ...shared,
      grants: provisionTokens,
      kind: 'provision-token',
      prefix: 'wpt',
    }),
  };
}
