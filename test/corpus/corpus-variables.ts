import { randomBytes } from 'node:crypto';
import { computeCsrfToken } from '@widget-service/api/caller/csrf.ts';
import { noFilter } from '@widget-service/shared/domain/event-filter.ts';
import { mintToken, sha256Hex, type TokenPrefix } from '@widget-service/shared/domain/token.ts';
import { createUuidV7 } from '@widget-service/shared/domain/uuid.ts';
import type { Grant } from '@widget-service/shared/entities/grant.ts';
import type { Backend } from '@widget-service/shared/ports/backend.ts';
import { PasswordHasher } from '@widget-service/shared/usecases/access/passwords.ts';
import {
  aCreation,
  aDelivery,
  aGrant,
  aQuarantinedText,
  aUser,
  aWidget,
  plainIntegration,
} from '../drivers/app/builders.ts';
import type { CorpusCaller } from './corpus-case.ts';

/** The values of the `{variable}`s in the cases, by name. */
export type CorpusVariables = Readonly<Record<string, string>>;

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** Stores a widget, deliveries, and valid, expired and revoked sessions and tokens for the cases, and returns them. */
export async function issueVariables(backend: Backend): Promise<CorpusVariables> {
  const widget = aWidget();
  await backend.widgets.insertOnce(aCreation(widget));
  const grants = { subscriptionsId: aGrant(), integrationsId: aGrant(), 'provision-tokensId': aGrant() };
  await backend.subscriptions.insert({ ...grants.subscriptionsId, filter: noFilter });
  await backend.integrations.insert({ ...grants.integrationsId, ...plainIntegration });
  await backend.provisionTokens.insert({ ...grants['provision-tokensId'], permissions: ['widgets:create'] });
  return {
    widgetId: widget.id,
    widgetIdInCapitals: widget.id.toUpperCase(),
    ...Object.fromEntries(Object.entries(grants).map(([name, { id }]) => [name, id])),
    ...(await recordDeliveries(backend, grants.integrationsId.id)),
    quarantinedTextId: await quarantineText(backend),
    ...(await issueSessions(backend)),
    ...(await issueTokens('hook', 'wht', {
      insert: (grant) => backend.integrations.insert({ ...grant, ...plainIntegration }),
      remove: (id) => backend.integrations.remove(id),
    })),
    ...(await issueTokens('stream', 'wst', {
      insert: (grant) => backend.subscriptions.insert({ ...grant, filter: noFilter }),
      remove: (id) => backend.subscriptions.remove(id),
    })),
  };
}

/** Stores a dead and a published delivery of this integration, and a received one of another. */
async function recordDeliveries(backend: Backend, integrationId: string): Promise<CorpusVariables> {
  const [dead, published, other] = [aDelivery({ integrationId }), aDelivery({ integrationId }), aDelivery()];
  await backend.ledger.register([published, other]);
  await backend.ledger.markPublished([{ eventId: published.eventId, position: null, effect: null }], new Date());
  await backend.ledger.markDead(dead, 'store-refused');
  return {
    deadDeliveryId: dead.eventId,
    deadDeliveryIdInCapitals: dead.eventId.toUpperCase(),
    publishedDeliveryId: published.eventId,
    otherDeliveryId: other.eventId,
  };
}

async function quarantineText(backend: Backend): Promise<string> {
  const text = aQuarantinedText();
  await backend.quarantine.insert(text);
  return text.id;
}

/** Replaces each known `{variable}` in a URL, header or body. */
export function expandVariables(text: string, variables: CorpusVariables): string {
  return text.replaceAll(/\{([\w-]+)\}/g, (whole, name: string) => variables[name] ?? whole);
}

export function makeAuthHeaders(caller: CorpusCaller, variables: CorpusVariables): Record<string, string> {
  return { cookie: variables[`${caller}Cookie`] ?? '', 'x-csrf-token': variables[`${caller}Csrf`] ?? '' };
}

async function issueSessions(backend: Backend): Promise<Record<string, string>> {
  const now = Date.now();
  const passwordHash = await new PasswordHasher().hash('a password that nobody uses');
  const start = async (name: string, role: 'admin' | 'editor' | 'viewer', startedMs = now, seenMs = now, days = 7) => {
    const account = aUser({ role, disabled: name === 'disabled', passwordHash, createdAt: new Date(startedMs) });
    const { id: userId, email } = account;
    await backend.users.insert(account);
    const sessionId = randomBytes(32).toString('base64url');
    const publicSessionId = createUuidV7();
    await backend.sessions.insert({
      id: publicSessionId,
      digest: sha256Hex(sessionId),
      userId,
      device: null,
      address: null,
      createdAt: new Date(startedMs),
      lastSeenAt: new Date(seenMs),
      expiresAt: new Date(startedMs + days * dayMs),
    });
    if (name === 'ended') await backend.sessions.remove(sha256Hex(sessionId));
    return {
      [`${name}Id`]: userId,
      [`${name}SessionId`]: publicSessionId,
      [`${name}Email`]: email,
      [`${name}EmailInCapitals`]: email.toUpperCase(),
      [`${name}Cookie`]: `service_console=${sessionId}`,
      [`${name}CookieValue`]: sessionId,
      [`${name}CookieValueEncoded`]: `%${sessionId.charCodeAt(0).toString(16)}${sessionId.slice(1)}`,
      [`${name}Csrf`]: computeCsrfToken(sessionId),
      [`${name}CsrfInCapitals`]: computeCsrfToken(sessionId).toUpperCase(),
      [`${name}CsrfShort`]: computeCsrfToken(sessionId).slice(0, -1),
    };
  };
  const started = await Promise.all([
    start('admin', 'admin'),
    start('editor', 'editor'),
    start('viewer', 'viewer'),
    start('ended', 'editor'),
    start('disabled', 'editor'),
    start('expired', 'editor', now - 8 * dayMs, now, 7),
    start('idle', 'editor', now - dayMs, now - 13 * hourMs),
  ]);
  return Object.assign({}, ...started);
}

/** Tokens of one kind, under names that end in `HookToken` or `StreamToken`. */
async function issueTokens(
  kind: 'hook' | 'stream',
  prefix: TokenPrefix,
  { insert, remove }: { insert: (grant: Grant) => Promise<unknown>; remove: (id: string) => Promise<boolean> },
): Promise<Record<string, string>> {
  const mint = () => mintToken(prefix);
  const [valid, ending, expired, replaced, revoked] = [mint(), mint(), mint(), mint(), mint()] as const;
  const past = new Date(Date.now() - 1_000);
  const future = new Date(Date.now() + hourMs);
  const toStoredToken = (token: string) => ({ digest: sha256Hex(token), sealedSecret: null });
  await insert(aGrant({ token: toStoredToken(valid) }));
  await insert(aGrant({ token: toStoredToken(expired), expiresAt: past }));
  await insert(aGrant({ previousToken: { ...toStoredToken(replaced), expiresAt: past } }));
  await insert(aGrant({ previousToken: { ...toStoredToken(ending), expiresAt: future } }));
  const removed = aGrant({ token: toStoredToken(revoked) });
  await insert(removed);
  await remove(removed.id);
  const Kind = kind === 'hook' ? 'Hook' : 'Stream';
  const mistyped = `${valid.slice(0, -1)}${valid.endsWith('a') ? 'b' : 'a'}`;
  return {
    [`${kind}Token`]: valid,
    [`ending${Kind}Token`]: ending,
    [`expired${Kind}Token`]: expired,
    [`replaced${Kind}Token`]: replaced,
    [`revoked${Kind}Token`]: revoked,
    [`unknown${Kind}Token`]: mint(),
    [`${kind}TokenMistyped`]: mistyped,
    [`${kind}TokenInSmallLetters`]: valid.toLowerCase(),
  };
}
