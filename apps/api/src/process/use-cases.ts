import type { Settings } from '@widget-service/shared/config/settings.ts';
import type { RateLimit } from '@widget-service/shared/domain/gcra.ts';
import type { LogPosition } from '@widget-service/shared/domain/log-position.ts';
import type { IntegrationMembers, ProvisionToken, Subscription } from '@widget-service/shared/entities/grant.ts';
import type { Backend } from '@widget-service/shared/ports/backend.ts';
import type { ControlLog } from '@widget-service/shared/ports/control-log.ts';
import type { RateLimiter } from '@widget-service/shared/ports/rate-limiter.ts';
import type { Clock } from '@widget-service/shared/runtime/clock.ts';
import { ManageGrants, replaceSourceSecrets } from '@widget-service/shared/usecases/access/manage-grants.ts';
import { ManageUsers } from '@widget-service/shared/usecases/access/manage-users.ts';
import { PasswordHasher } from '@widget-service/shared/usecases/access/passwords.ts';
import { ManageSessions } from '@widget-service/shared/usecases/access/sessions.ts';
import { SignIn } from '@widget-service/shared/usecases/access/sign-in.ts';
import { SignInByIdentity } from '@widget-service/shared/usecases/access/sign-in-by-identity.ts';
import { SignInLimits, takePermit } from '@widget-service/shared/usecases/access/sign-in-limits.ts';
import type { GroupCommit } from '@widget-service/shared/usecases/hooks/group-commit.ts';
import { RedriveDeliveries } from '@widget-service/shared/usecases/hooks/redrive-deliveries.ts';
import { ListWidgets } from '@widget-service/shared/usecases/widgets/list-widgets.ts';

/** The parts of the pod that use cases need. */
export interface UseCaseParts {
  readonly settings: Settings;
  readonly backend: Backend;
  /** What a change announces; see `announceHereFirst`. */
  readonly control: Pick<ControlLog, 'announce'>;
  /** Everything that the routes put into the hook queue goes through it. */
  readonly groupCommit: Pick<GroupCommit, 'submit'>;
  readonly clock: Clock;
  /** Returns this pod's position in the event log; null before its first read. */
  readonly tailPosition: () => LogPosition | null;
  readonly limiter: RateLimiter;
  /** Widgets per provision token, and new sessions per user; null: no limit. */
  readonly limits: Readonly<Record<'widgets' | 'signIns', RateLimit | null>>;
  /** Failures per account and address; 0: no limit. */
  readonly signInFailuresPerMinute: number;
}

export interface UseCases extends ReturnType<typeof createUseCases> {}

/** The use cases of the api's routes, over one backend. */
export function createUseCases(parts: UseCaseParts) {
  const { settings, backend, control, groupCommit, clock, tailPosition, limiter, limits } = parts;
  const { widgets, users } = backend;
  const passwords = new PasswordHasher();
  const signInLimits = new SignInLimits(limiter, parts.signInFailuresPerMinute, limits.signIns);
  const sessions = new ManageSessions({ ...backend, control, clock, sessionLifetimeMs: settings.SESSION_LIFETIME_MS });
  const signInDeps = { users, passwords, limits: signInLimits, sessions, control, clock };
  const signIn = new SignIn(signInDeps);
  const { subscriptions, integrations, provisionTokens, samples, refusals } = backend;
  const shared = { control, clock, tokenMaxLifetimeMs: settings.TOKEN_MAX_LIFETIME_MS };
  const deleteKept = async (id: string): Promise<void> => {
    await Promise.all([samples.removeAll({ integrationId: id }), refusals.removeAll({ integrationId: id })]);
  };
  return {
    takeWidgetPermit: (tokenId: string) => takePermit(limiter, `widgets:${tokenId}`, limits.widgets),
    listWidgets: new ListWidgets(widgets, clock, tailPosition),
    signInLimits,
    signIn,
    signInByIdentity: new SignInByIdentity(signInDeps, signIn),
    manageSessions: sessions,
    manageUsers: new ManageUsers({ users, passwords, sessions, control, clock }),
    // The same use cases for each kind of grant, over its own store.
    manageSubscriptions: new ManageGrants<Pick<Subscription, 'filter'>>({
      ...shared,
      grants: subscriptions,
      kind: 'subscription',
    }),
    replaceSourceSecrets: (id: string, secrets: readonly string[]) =>
      replaceSourceSecrets(integrations, control, id, secrets),
    manageIntegrations: new ManageGrants<IntegrationMembers>({
      ...shared,
      grants: integrations,
      kind: 'integration',
      deleteKept,
    }),
    manageProvisionTokens: new ManageGrants<Pick<ProvisionToken, 'permissions'>>({
      ...shared,
      grants: provisionTokens,
      kind: 'provision-token',
    }),
    redrive: new RedriveDeliveries(backend.ledger, backend.integrations, groupCommit),
  };
}
