import type { RateLimit } from '@widget-service/shared/domain/gcra.ts';
import type { LogPosition } from '@widget-service/shared/domain/log-position.ts';
import type { IntegrationMembers, ProvisionToken, Subscription } from '@widget-service/shared/entities/grant.ts';
import type { Backend } from '@widget-service/shared/ports/backend.ts';
import type { ControlLog } from '@widget-service/shared/ports/control-log.ts';
import type { RateLimiter } from '@widget-service/shared/ports/rate-limiter.ts';
import type { Clock } from '@widget-service/shared/runtime/clock.ts';
import {
  ManageGrants,
  makeReplaceSourceSecrets,
  type TokenMaxLifetimeMs,
} from '@widget-service/shared/usecases/access/manage-grants.ts';
import { ManageUsers } from '@widget-service/shared/usecases/access/manage-users.ts';
import { createPasswordHasher } from '@widget-service/shared/usecases/access/passwords.ts';
import { ManageSessions } from '@widget-service/shared/usecases/access/sessions.ts';
import { SignIn } from '@widget-service/shared/usecases/access/sign-in.ts';
import { makeSignInByIdentity } from '@widget-service/shared/usecases/access/sign-in-by-identity.ts';
import {
  SignInLimits,
  signInFailuresPerMinute,
  takePermit,
} from '@widget-service/shared/usecases/access/sign-in-limits.ts';
import { makeAcceptHook } from '@widget-service/shared/usecases/hooks/accept-hook.ts';
import type { GroupCommit } from '@widget-service/shared/usecases/hooks/group-commit.ts';
import { makeRedriveDelivery } from '@widget-service/shared/usecases/hooks/manage-deliveries.ts';
import { makeRedriveDeliveries } from '@widget-service/shared/usecases/hooks/redrive-deliveries.ts';
import { makeCreateWidget } from '@widget-service/shared/usecases/widgets/create-widget.ts';
import { makeListWidgets } from '@widget-service/shared/usecases/widgets/list-widgets.ts';
import { renderWidgetBody } from '../widgets/widget-schema.ts';

export interface UseCaseDeps {
  readonly backend: Pick<
    Backend,
    | 'widgets'
    | 'ledger'
    | 'users'
    | 'sessions'
    | 'subscriptions'
    | 'integrations'
    | 'provisionTokens'
    | 'samples'
    | 'refusals'
  > & { readonly control: Pick<ControlLog, 'announce'> };
  /** Everything that the routes put into the hook queue goes through it. */
  readonly groupCommit: Pick<GroupCommit, 'submit'>;
  readonly clock: Clock;
  /** Returns this pod's position in the event log; null before its first read. */
  readonly tailPosition: () => LogPosition | null;
  readonly sessionLifetimeMs: number;
  /** Left out or null: tokens may live without limit. */
  readonly tokenMaxLifetimeMs?: TokenMaxLifetimeMs;
  readonly rateLimiter: RateLimiter;
  /** Widgets per provision token; null: no limit. */
  readonly widgetLimit: RateLimit | null;
  /** New sessions per user; null: no limit. */
  readonly signInLimit: RateLimit | null;
  /** Per account and address; 0: no limit. Left out: `signInFailuresPerMinute`. */
  readonly signInFailuresPerMinute?: number | undefined;
}

export interface UseCases extends ReturnType<typeof createUseCases> {}

/** The use cases of the api's routes, over one backend. */
export function createUseCases(deps: UseCaseDeps) {
  const { backend, groupCommit, clock } = deps;
  const { widgets, users, control } = backend;
  /** Ignores a failure: the outbox is already stored, so the scanner finds it if the nudge is lost. */
  const nudge = (widgetId: string): void => {
    groupCommit.submit({ type: 'nudge', widgetId }).catch(() => undefined);
  };
  const passwords = createPasswordHasher();
  const signInLimits = new SignInLimits({
    limiter: deps.rateLimiter,
    failuresPerMinute: deps.signInFailuresPerMinute ?? signInFailuresPerMinute,
    perUser: deps.signInLimit,
  });
  const sessions = new ManageSessions({ ...backend, clock, sessionLifetimeMs: deps.sessionLifetimeMs });
  const signIn = new SignIn({ users, passwords, limits: signInLimits, sessions, clock });
  const redriveDelivery = makeRedriveDelivery({ ledger: backend.ledger, groupCommit });
  return {
    takeWidgetPermit: (tokenId: string) => takePermit(deps.rateLimiter, `widgets:${tokenId}`, deps.widgetLimit),
    createWidget: makeCreateWidget({ widgets, clock, renderBody: renderWidgetBody, nudge }),
    listWidgets: makeListWidgets({ widgets, clock, tailPosition: deps.tailPosition }),
    signInLimits,
    signIn,
    signInByIdentity: makeSignInByIdentity({ users, limits: signInLimits, signIn, sessions, control, clock }),
    manageSessions: sessions,
    manageUsers: new ManageUsers({ users, passwords, sessions, control, clock }),
    ...makeAllGrantUseCases(deps),
    acceptHook: makeAcceptHook({ groupCommit, clock }),
    redriveDelivery,
    redriveDeliveries: makeRedriveDeliveries({ ...backend, redriveDelivery }),
  };
}

/** The same use cases for each kind of grant, over its own store. */
function makeAllGrantUseCases({ backend, clock, tokenMaxLifetimeMs = null }: UseCaseDeps) {
  const { subscriptions, integrations, provisionTokens, control, samples, refusals } = backend;
  const shared = { control, clock, tokenMaxLifetimeMs };
  const deleteKept = async (id: string): Promise<void> => {
    await Promise.all([samples.removeAll({ integrationId: id }), refusals.removeAll({ integrationId: id })]);
  };
  return {
    manageSubscriptions: new ManageGrants<Pick<Subscription, 'filter'>>({
      ...shared,
      grants: subscriptions,
      kind: 'subscription',
      prefix: 'wst',
    }),
    replaceSourceSecrets: makeReplaceSourceSecrets(integrations, control),
    manageIntegrations: new ManageGrants<IntegrationMembers>({
      ...shared,
      grants: integrations,
      kind: 'integration',
      prefix: 'wht',
      deleteKept,
    }),
    manageProvisionTokens: new ManageGrants<Pick<ProvisionToken, 'permissions'>>({
      ...shared,
      grants: provisionTokens,
      kind: 'provision-token',
      prefix: 'wpt',
    }),
  };
}
