import type { Permission } from '@widget-service/shared/domain/role.ts';
import type { TokenPrefix } from '@widget-service/shared/domain/token.ts';
import type { Grant } from '@widget-service/shared/entities/grant.ts';
import type { Backend } from '@widget-service/shared/ports/backend.ts';
import type { Collection } from '@widget-service/shared/ports/collection.ts';
import type { ControlEntry } from '@widget-service/shared/ports/control-log.ts';

/** One kind of grant, as the tests of the management operations need it. */
export interface GrantKind {
  readonly path: string;
  readonly kind: ControlEntry['kind'];
  readonly prefix: TokenPrefix;
  readonly permission: Permission;
  /** Builds the path of a token's address; null for a kind whose tokens have no address. */
  readonly buildPath: ((token: string) => string) | null;
  readonly selectStore: (backend: Backend) => Collection<Grant>;
  /** The members that only this kind has, for a grant that was created with nothing but a name. */
  readonly defaults: object;
  /** Every member that can be changed, with a value other than the default. */
  readonly changes: object;
}

const widgetId = '0197a0b0-0000-7000-8000-00000000abcd';

export const grantKinds: readonly GrantKind[] = [
  {
    path: '/api/v1/subscriptions',
    kind: 'subscription',
    prefix: 'wst',
    permission: 'subscriptions:manage',
    buildPath: (token) => `/api/v1/events/${token}`,
    selectStore: ({ subscriptions }) => subscriptions,
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
    buildPath: (token) => `/api/v1/events/hooks/${token}`,
    selectStore: ({ integrations }) => integrations,
    defaults: { signature: 'none', deduplicateByContent: true, rate: null, source: null, lastReceivedAt: null },
    changes: { name: 'other', expiresAt: '2099-01-01T00:00:00.000Z', deduplicateByContent: false, rate: 7 },
  },
  {
    path: '/api/v1/provision-tokens',
    kind: 'provision-token',
    prefix: 'wpt',
    permission: 'tokens:manage',
    buildPath: null,
    selectStore: ({ provisionTokens }) => provisionTokens,
    defaults: { permissions: ['widgets:create'], lastUsedAt: null },
    changes: { name: 'other', expiresAt: '2099-01-01T00:00:00.000Z' },
  },
];
