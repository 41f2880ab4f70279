import type { Permission } from '@widget-service/shared/domain/role.ts';
import type { Grant } from '@widget-service/shared/entities/grant.ts';
import type { Collection } from '@widget-service/shared/ports/collection.ts';
import type { ManageGrants } from '@widget-service/shared/usecases/access/manage-grants.ts';
import type { FastifyInstance } from 'fastify';
import type { AuditDeclaration, RouteAudit } from '../audit/audit.ts';
import { type GrantOperation, GrantRoutes } from '../grants/grant-routes.ts';
import type { GrantResource } from '../grants/grant-schema.ts';
import { integrationResource } from '../grants/integration.ts';
import { provisionTokenResource } from '../grants/provision-token.ts';
import { changeMappingRoute, replaceSecretsRoute } from '../grants/source-routes.ts';
import { subscriptionResource } from '../grants/subscription.ts';
import { answerProbeRoute } from '../hooks/answer-probe-route.ts';
import {
  discardDeliveryRoute,
  getDeliveryRoute,
  listAllDeliveriesRoute,
  listDeliveriesOfWidgetRoute,
  listDeliveriesRoute,
  redriveDeliveryRoute,
} from '../hooks/deliveries/delivery-routes.ts';
import { redriveDeliveriesOfAllRoute, redriveDeliveriesRoute } from '../hooks/deliveries/redrive-deliveries.ts';
import { receiveHookRoute } from '../hooks/intake.ts';
import { listHookCountsRoute } from '../hooks/list-hook-counts.ts';
import { previewIntegrationRoute, previewSourceRoute } from '../hooks/preview-hook.ts';
import {
  discardQuarantinedTextRoute,
  getQuarantinedTextRoute,
  listQuarantineRoute,
} from '../hooks/quarantine-routes.ts';
import {
  deleteSamplesRoute,
  keepSamplesRoute,
  listRefusalsRoute,
  listSamplesRoute,
} from '../hooks/refused-requests.ts';
import { registerRoute } from '../http/route.ts';
import { listAuditEventsRoute } from '../operators/audit-events.ts';
import { getOverviewRoute } from '../operators/overview.ts';
import {
  endOwnSessionRoute,
  endUserSessionRoute,
  endUserSessionsRoute,
  getSessionRoute,
  listOwnSessionsRoute,
  listUserSessionsRoute,
  signOutEverywhereRoute,
  signOutRoute,
} from '../people/sessions.ts';
import { finishIdentitySignInRoute, startIdentitySignInRoute } from '../people/sign-in-by-identity.ts';
import { changePasswordRoute, signInRoute } from '../people/sign-in-by-password.ts';
import { changeUserRoute, createUserRoute, getUserRoute, listUsersRoute } from '../people/users.ts';
import type { RouteDeps } from '../route-deps.ts';
import { endConnectionRoute, listConnectionsRoute } from '../streams/connection-routes.ts';
import {
  preflightStreamRoute,
  probeStreamRoute,
  registerServerSentEvents,
  streamEventsRoute,
  streamOfSessionRoute,
} from '../streams/stream-events.ts';
import { createWidgetRoute, getWidgetRoute, listWidgetsRoute } from '../widgets/widget-routes.ts';
import { listPageRoutes } from './page-routes.ts';
import { type Access, type BodySize, everybody, type Row, toBodyLimits } from './route-row.ts';

/** A caller with a session. */
const signedIn: Access = { policy: 'signed-in' };
/** Also a user who must change the password first. */
const signedInAtAll: Access = { policy: 'signed-in', allowedBeforePasswordChange: true };
/** A caller with a session whose user has the permission. */
const may = (permission: Permission, body: BodySize = 'usual'): Access => ({ policy: { permission }, body });
/** Such a caller too, but a browser only from a page of this service. */
const ownPages = (permission: Permission): Access => ({ policy: { permission, ownOrigin: true } });
/** Also a caller with a provision token that has the permission. */
const mayWithToken = (permission: Permission, body: BodySize): Access => ({
  policy: { permission, acceptsBearer: true },
  body,
});

/** The audit event of a route that changes something. `id`: see `AuditDeclaration`. */
function audits(
  action: AuditDeclaration['action'],
  kind: AuditDeclaration['target']['kind'],
  id: AuditDeclaration['target']['id'],
): RouteAudit {
  return { action, target: { kind, id } };
}
const signsIn: RouteAudit = {
  action: 'session.created',
  refusedAs: 'session.failed',
  target: { kind: 'user', id: 'noted' },
  countsRepetitions: true,
};
/** The audit event of a route that changes something of the caller alone. */
const auditsOwn = (action: AuditDeclaration['action']): RouteAudit => ({
  action,
  target: { kind: 'user', id: 'caller' },
  countsRepetitions: true,
});
const endsOwnSession = auditsOwn('session.ended');
const endsSessionOfUser = audits('session.ended', 'user', ':id');
const hooksAreData: RouteAudit = {
  none: 'Hooks are data: each has its delivery, and each refused one of a known token is sampled.',
};

const previewsStoreNothing: RouteAudit = { none: 'A preview stores nothing and changes nothing.' };

/** Makes the function that returns the maker of one of a kind's seven routes. */
const grantsOf =
  <Own extends object>(
    resource: GrantResource<Own>,
    select: (deps: RouteDeps) => readonly [ManageGrants<Own>, Collection<Grant & Own>],
  ) =>
  (operation: GrantOperation) =>
  (deps: RouteDeps) =>
    new GrantRoutes(resource, ...select(deps), deps.settings)[operation]();
const subscriptions = grantsOf(subscriptionResource, (deps) => [deps.manageSubscriptions, deps.subscriptions]);
const integrations = grantsOf(integrationResource, (deps) => [deps.manageIntegrations, deps.integrations]);
const provisionTokens = grantsOf(provisionTokenResource, (deps) => [deps.manageProvisionTokens, deps.provisionTokens]);

/**
 * The whole interface, in the order of the OpenAPI document: methods, path, who may call the route and how large its
 * body may be, what it does, and its audit event. Nothing else registers a route of the service.
 */
// biome-ignore format: a table, one route per line
const interfaceRoutes: readonly Row[] = [
  ['GET HEAD', '/api/v1/widgets',                                          may('widgets:read'),                       listWidgetsRoute],
  ['POST',     '/api/v1/widgets',                                          mayWithToken('widgets:create', 'large'),   createWidgetRoute,           audits('widget.created', 'widget', 'noted')],
  ['GET HEAD', '/api/v1/widgets/:id',                                      may('widgets:read'),                       getWidgetRoute],
  // The token in the path is the credential of a stream. Its route verifies it.
  ['GET',      '/api/v1/events/:token',                                    everybody,                                 ({ stream }) => streamEventsRoute(stream)],
  ['HEAD',     '/api/v1/events/:token',                                    everybody,                                 ({ stream }) => probeStreamRoute(stream)],
  ['OPTIONS',  '/api/v1/events/:token',                                    everybody,                                 preflightStreamRoute],
  ['POST',     '/api/v1/events/hooks/:token',                              { body: 'hook', policy: 'hook-token' },    receiveHookRoute,            hooksAreData],
  // The token in the path is the credential of these, too.
  ['GET HEAD', '/api/v1/events/hooks/:token',                              everybody,                                 answerProbeRoute],
  ['OPTIONS',  '/api/v1/events/hooks/:token',                              everybody,                                 answerProbeRoute],
  ['POST',     '/api/v1/session',                                          { body: 'brief', policy: 'own-origin' },   signInRoute,                 signsIn],
  // Not HEAD: it would replace the sign-in that the browser has started, and sign in.
  ['GET',      '/api/v1/session/oidc',                                     everybody,                                 startIdentitySignInRoute],
  ['GET',      '/api/v1/session/oidc/callback',                            everybody,                                 finishIdentitySignInRoute,   signsIn],
  ['GET HEAD', '/api/v1/session',                                          signedInAtAll,                             getSessionRoute],
  ['DELETE',   '/api/v1/session',                                          signedInAtAll,                             signOutRoute,                endsOwnSession],
  ['DELETE',   '/api/v1/sessions',                                         signedInAtAll,                             signOutEverywhereRoute,      endsOwnSession],
  ['PUT',      '/api/v1/session/password',                                 { ...signedInAtAll, body: 'brief' },       changePasswordRoute,         auditsOwn('password.changed')],
  ['GET HEAD', '/api/v1/sessions',                                         signedIn,                                  listOwnSessionsRoute],
  ['DELETE',   '/api/v1/sessions/:id',                                     signedIn,                                  endOwnSessionRoute,          endsOwnSession],
  ['GET HEAD', '/api/v1/session/stream',                                   ownPages('widgets:read'),                  ({ stream }) => streamOfSessionRoute(stream)],
  ['POST',     '/api/v1/users',                                            may('users:manage'),                       createUserRoute,             audits('user.created', 'user', 'noted')],
  ['GET HEAD', '/api/v1/users',                                            may('users:manage'),                       listUsersRoute],
  ['GET HEAD', '/api/v1/users/:id',                                        may('users:manage'),                       getUserRoute],
  ['PATCH',    '/api/v1/users/:id',                                        may('users:manage'),                       changeUserRoute,             audits('user.changed', 'user', ':id')],
  ['GET HEAD', '/api/v1/users/:id/sessions',                               may('users:manage'),                       listUserSessionsRoute],
  ['DELETE',   '/api/v1/users/:id/sessions',                               may('users:manage'),                       endUserSessionsRoute,        endsSessionOfUser],
  ['DELETE',   '/api/v1/users/:id/sessions/:sessionId',                    may('users:manage'),                       endUserSessionRoute,         endsSessionOfUser],
  ['GET HEAD', '/api/v1/subscriptions',                                    may('subscriptions:manage'),               subscriptions('list')],
  ['POST',     '/api/v1/subscriptions',                                    may('subscriptions:manage', 'large'),      subscriptions('create'),     audits('subscription.created', 'subscription', 'noted')],
  ['GET HEAD', '/api/v1/subscriptions/:id',                                may('subscriptions:manage'),               subscriptions('get')],
  ['PATCH',    '/api/v1/subscriptions/:id',                                may('subscriptions:manage', 'large'),      subscriptions('change'),     audits('subscription.changed', 'subscription', ':id')],
  ['POST',     '/api/v1/subscriptions/:id/rotate',                         may('subscriptions:manage'),               subscriptions('rotate'),     audits('subscription.token-rotated', 'subscription', ':id')],
  ['DELETE',   '/api/v1/subscriptions/:id/previous-token',                 may('subscriptions:manage'),               subscriptions('endPrevious'), audits('subscription.changed', 'subscription', ':id')],
  ['DELETE',   '/api/v1/subscriptions/:id',                                may('subscriptions:manage'),               subscriptions('revoke'),     audits('subscription.revoked', 'subscription', ':id')],
  ['GET HEAD', '/api/v1/subscriptions/:id/connections',                    may('subscriptions:manage'),               listConnectionsRoute],
  ['DELETE',   '/api/v1/subscriptions/:id/connections/:connectionId',      may('subscriptions:manage'),               endConnectionRoute,          audits('stream.ended', 'subscription', ':id')],
  ['GET HEAD', '/api/v1/integrations',                                     may('integrations:manage'),                integrations('list')],
  ['POST',     '/api/v1/integrations',                                     may('integrations:manage', 'large'),       integrations('create'),      audits('integration.created', 'integration', 'noted')],
  ['GET HEAD', '/api/v1/integrations/:id',                                 may('integrations:manage'),                integrations('get')],
  ['PATCH',    '/api/v1/integrations/:id',                                 may('integrations:manage'),                integrations('change'),      audits('integration.changed', 'integration', ':id')],
  ['POST',     '/api/v1/integrations/:id/rotate',                          may('integrations:manage', 'large'),       integrations('rotate'),      audits('integration.token-rotated', 'integration', ':id')],
  ['DELETE',   '/api/v1/integrations/:id/previous-token',                  may('integrations:manage'),                integrations('endPrevious'), audits('integration.changed', 'integration', ':id')],
  ['DELETE',   '/api/v1/integrations/:id',                                 may('integrations:manage'),                integrations('revoke'),      audits('integration.revoked', 'integration', ':id')],
  ['PUT',      '/api/v1/integrations/:id/source/mapping',                  may('integrations:manage', 'large'),       changeMappingRoute,          audits('integration.mapping-changed', 'integration', ':id')],
  ['PUT',      '/api/v1/integrations/:id/source/secrets',                  may('integrations:manage', 'large'),       replaceSecretsRoute,         audits('integration.secrets-replaced', 'integration', ':id')],
  ['POST',     '/api/v1/integrations/preview',                             may('integrations:manage', 'preview'),     previewSourceRoute,          previewsStoreNothing],
  ['POST',     '/api/v1/integrations/:id/preview',                         may('integrations:manage', 'preview'),     previewIntegrationRoute,     previewsStoreNothing],
  ['GET HEAD', '/api/v1/integrations/:id/samples',                         may('integrations:manage'),                listSamplesRoute],
  ['PUT',      '/api/v1/integrations/:id/samples',                         may('integrations:manage'),                keepSamplesRoute,            audits('integration.samples-kept', 'integration', ':id')],
  ['DELETE',   '/api/v1/integrations/:id/samples',                         may('integrations:manage'),                deleteSamplesRoute,          audits('integration.samples-deleted', 'integration', ':id')],
  ['GET HEAD', '/api/v1/provision-tokens',                                 may('tokens:manage'),                      provisionTokens('list')],
  ['POST',     '/api/v1/provision-tokens',                                 may('tokens:manage'),                      provisionTokens('create'),   audits('provision-token.created', 'provision-token', 'noted')],
  ['GET HEAD', '/api/v1/provision-tokens/:id',                             may('tokens:manage'),                      provisionTokens('get')],
  ['PATCH',    '/api/v1/provision-tokens/:id',                             may('tokens:manage'),                      provisionTokens('change'),   audits('provision-token.changed', 'provision-token', ':id')],
  ['POST',     '/api/v1/provision-tokens/:id/rotate',                      may('tokens:manage'),                      provisionTokens('rotate'),   audits('provision-token.token-rotated', 'provision-token', ':id')],
  ['DELETE',   '/api/v1/provision-tokens/:id/previous-token',              may('tokens:manage'),                      provisionTokens('endPrevious'), audits('provision-token.changed', 'provision-token', ':id')],
  ['DELETE',   '/api/v1/provision-tokens/:id',                             may('tokens:manage'),                      provisionTokens('revoke'),   audits('provision-token.revoked', 'provision-token', ':id')],
  ['GET HEAD', '/api/v1/integrations/:id/deliveries',                      may('integrations:manage'),                listDeliveriesRoute],
  ['GET HEAD', '/api/v1/deliveries',                                       may('integrations:manage'),                listAllDeliveriesRoute],
  ['GET HEAD', '/api/v1/widgets/:id/deliveries',                           may('widgets:read'),                       listDeliveriesOfWidgetRoute],
  ['GET HEAD', '/api/v1/integrations/:id/deliveries/:eventId',             may('integrations:manage'),                getDeliveryRoute],
  ['GET HEAD', '/api/v1/integrations/:id/refusals',                        may('integrations:manage'),                listRefusalsRoute],
  ['GET HEAD', '/api/v1/hook-counts',                                      may('integrations:manage'),                listHookCountsRoute],
  ['DELETE',   '/api/v1/integrations/:id/deliveries/:eventId',             may('integrations:manage'),                discardDeliveryRoute,        audits('delivery.discarded', 'delivery', ':eventId')],
  ['POST',     '/api/v1/integrations/:id/deliveries/:eventId/redrive',     may('integrations:manage'),                redriveDeliveryRoute,        audits('delivery.redriven', 'delivery', ':eventId')],
  ['POST',     '/api/v1/integrations/:id/deliveries/redrive',              may('integrations:manage'),                redriveDeliveriesRoute,      audits('delivery.redriven', 'delivery', 'noted')],
  ['POST',     '/api/v1/deliveries/redrive',                               may('integrations:manage'),                redriveDeliveriesOfAllRoute, audits('delivery.redriven', 'delivery', 'noted')],
  // A text in quarantine may be of any integration.
  ['GET HEAD', '/api/v1/quarantine',                                       may('integrations:manage'),                listQuarantineRoute],
  ['GET HEAD', '/api/v1/quarantine/:id',                                   may('integrations:manage'),                getQuarantinedTextRoute],
  ['DELETE',   '/api/v1/quarantine/:id',                                   may('integrations:manage'),                discardQuarantinedTextRoute, audits('quarantined-text.discarded', 'quarantined-text', ':id')],
  ['GET HEAD', '/api/v1/audit-events',                                     may('audit:read'),                         listAuditEventsRoute],
  ['GET HEAD', '/api/v1/overview',                                         may('audit:read'),                         getOverviewRoute],
];

/** Registers the interface, and the pages that the settings switch on. */
export async function registerRoutes(app: FastifyInstance, deps: RouteDeps): Promise<void> {
  await registerServerSentEvents(app);
  const bodyLimits = toBodyLimits(deps.settings.BODY_LIMIT_BYTES);
  for (const [methods, path, { body = 'usual', ...access }, makeRoute, audit] of [
    ...interfaceRoutes,
    ...listPageRoutes(deps),
  ]) {
    const rules = audit === undefined ? access : { ...access, audit };
    registerRoute(app, { methods, path, access: rules, bodyLimit: bodyLimits[body] }, makeRoute(deps));
  }
}
