import type { LogPosition } from '@widget-service/shared/domain/cursor.ts';
import type { Backend } from '@widget-service/shared/ports/backend.ts';
import type { Clock } from '@widget-service/shared/runtime/clock.ts';
import { createPasswordHasher } from '@widget-service/shared/usecases/access/hash-password.ts';
import { createIssueIntegration, createIssueSubscription } from '@widget-service/shared/usecases/access/issue-token.ts';
import {
  createEndSession,
  createFindSession,
  createStartSession,
} from '@widget-service/shared/usecases/access/sessions.ts';
import { createSignIn } from '@widget-service/shared/usecases/access/sign-in.ts';
import { createAcceptHook } from '@widget-service/shared/usecases/hooks/accept-hook.ts';
import type { GroupCommit } from '@widget-service/shared/usecases/hooks/group-commit.ts';
import { createCreateWidget } from '@widget-service/shared/usecases/widgets/create-widget.ts';
import { createListWidgets } from '@widget-service/shared/usecases/widgets/list-widgets.ts';
import { widgetAnswer } from './routes/widgets/widget-body.ts';

export interface UseCaseDeps {
  readonly backend: Pick<Backend, 'widgets' | 'users' | 'sessions' | 'subscriptions' | 'integrations'>;
  /** The pod's one gate to the hook queue. */
  readonly gate: Pick<GroupCommit, 'submit'>;
  readonly clock: Clock;
  readonly tailPosition: () => LogPosition | null;
  readonly sessionIdleMs: number;
  readonly sessionLifetimeMs: number;
}

export type UseCases = ReturnType<typeof createUseCases>;

/** What the routes can have done, over one backend. */
export function createUseCases(deps: UseCaseDeps) {
  const { backend, gate, clock } = deps;
  const { widgets, users, sessions } = backend;
  /** The outbox is stored: where the word does not get through, the scanner finds it. */
  const nudge = (widgetId: string): void => {
    gate.submit({ type: 'nudge', widgetId }).catch(() => undefined);
  };
  const startSession = createStartSession({ sessions, clock, sessionLifetimeMs: deps.sessionLifetimeMs });
  return {
    createWidget: createCreateWidget({ widgets, clock, answer: widgetAnswer, nudge }),
    listWidgets: createListWidgets({ widgets, clock, tailPosition: deps.tailPosition }),
    signIn: createSignIn({ users, passwords: createPasswordHasher(), startSession, clock }),
    findSession: createFindSession({ sessions, users, clock, sessionIdleMs: deps.sessionIdleMs }),
    endSession: createEndSession({ sessions }),
    issueSubscription: createIssueSubscription({ subscriptions: backend.subscriptions, clock }),
    issueIntegration: createIssueIntegration({ integrations: backend.integrations, clock }),
    acceptHook: createAcceptHook({ gate, clock }),
  };
}
