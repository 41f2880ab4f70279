import type { Grant } from '@widget-service/shared/domain/grant.ts';
import type { Permission } from '@widget-service/shared/domain/role.ts';
import type { TokenPrefix } from '@widget-service/shared/domain/token.ts';
import type { Backend } from '@widget-service/shared/ports/backend.ts';
import type { ControlEntry } from '@widget-service/shared/ports/control-log.ts';
import type { GrantStore } from '@widget-service/shared/ports/grant-store.ts';

/** A kind of grant as its management operations are tested. */
export interface GrantKind {
  readonly path: string;
  readonly kind: ControlEntry['kind'];
  readonly prefix: TokenPrefix;
  readonly permission: Permission;
  /** The address that a token opens, without the base; null when it opens none. */
  readonly pathOf: ((token: string) => string) | null;
  readonly storeOf: (backend: Backend) => GrantStore<Grant, object>;
  /** What one shows that was created with a name alone, beyond what all show. */
  readonly defaults: object;
  /** Every member that can be changed, with another value than the default. */
  readonly changes: object;
}

const widgetId = '0197a0b0-0000-7000-8000-00000000abcd';

export const grantKinds: readonly GrantKind[] = [
  {
    path: '/api/v1/subscriptions',
    kind: 'subscription',
    prefix: 'wst',
    permission: 'subscriptions:manage',
    pathOf: (token) => `/api/v1/events/${token}`,
    storeOf: ({ subscriptions }) => subscriptions,
    defaults: {
      filter: { types: null, widgetIds: null, states: null, labels: null },
      lastConnectedAt: null,
    },
    changes: {
      name: 'other',
      expiresAt: '2099-01-01T00:00:00.000Z',
      filter: { types: ['widget.retired'], widgetIds: [widgetId], states: ['retired'], labels: ['hall', 'ʘ'] },
    },
  },
  {
    path: '/api/v1/integrations',
    kind: 'integration',
    prefix: 'wht',
    permission: 'integrations:manage',
    pathOf: (token) => `/api/v1/events/hooks/${token}`,
    storeOf: ({ integrations }) => integrations,
    defaults: { signature: 'none', deduplicateByContent: true, rate: null, lastReceivedAt: null },
    changes: { name: 'other', expiresAt: '2099-01-01T00:00:00.000Z', deduplicateByContent: false, rate: 7 },
  },
  {
    path: '/api/v1/provision-tokens',
    kind: 'provision-token',
    prefix: 'wpt',
    permission: 'tokens:manage',
    pathOf: null,
    storeOf: ({ provisionTokens }) => provisionTokens,
    defaults: { permissions: ['widgets:create'], lastUsedAt: null },
    changes: { name: 'other', expiresAt: '2099-01-01T00:00:00.000Z' },
  },
];
