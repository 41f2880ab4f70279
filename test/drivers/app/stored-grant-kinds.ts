import { randomUUID } from 'node:crypto';
import { noFilter } from '@widget-service/shared/domain/event-filter.ts';
import type { HookSource } from '@widget-service/shared/domain/hook-source.ts';
import { sha256Hex } from '@widget-service/shared/domain/token.ts';
import type { Grant } from '@widget-service/shared/entities/grant.ts';
import type { Backend } from '@widget-service/shared/ports/backend.ts';
import type { Collection } from '@widget-service/shared/ports/collection.ts';
import { awkwardTexts } from './builders.ts';

/** Later than `someTime`. */
export const later = new Date('2026-05-01T00:00:00.001Z');

export const aToken = (sealedSecret: string | null = null) => ({ digest: sha256Hex(randomUUID()), sealedSecret });
export const aPreviousToken = () => ({ ...aToken('sealed'), expiresAt: later });

/** Names of values come from senders, so a store may not read them as operators or paths. */
export const awkwardSource: HookSource = {
  preset: 'custom',
  scheme: null,
  mapping: {
    only: [{ place: { header: 'x-kind' }, in: awkwardTexts }],
    kind: {
      place: { from: '/type' },
      values: Object.fromEntries(awkwardTexts.map((text) => [text, 'updated'])),
      otherwise: 'refuse',
    },
    occurredAt: { place: null, format: 'rfc3339', otherwise: 'now' },
    widgetId: null,
    id: { all: [{ from: '/$where' }, { value: 'a.b' }] },
    payload: { from: '' },
  },
};

/** One kind of grant, as the conformance suite of its store needs it. */
export interface StoredGrantKind {
  readonly name: string;
  readonly getStore: (backend: Backend) => Collection<Grant>;
  /** The members that only this kind has. */
  readonly ownMembers: object;
  /** Every member that may change, with another value. */
  readonly changes: object;
}

export const storedGrantKinds: readonly StoredGrantKind[] = [
  {
    name: 'subscriptions',
    getStore: ({ subscriptions }) => subscriptions,
    ownMembers: { filter: noFilter },
    changes: {
      name: 'other',
      expiresAt: later,
      filter: {
        types: ['widget.created', 'widget.retired'],
        widgetIds: [randomUUID()],
        states: ['retired'],
        labels: [...awkwardTexts],
      },
    },
  },
  {
    name: 'integrations',
    getStore: ({ integrations }) => integrations,
    ownMembers: { deduplicateByContent: true, rate: null, source: null },
    changes: { name: 'other', expiresAt: later, deduplicateByContent: false, rate: 1_000_000, source: awkwardSource },
  },
  {
    name: 'provision tokens',
    getStore: ({ provisionTokens }) => provisionTokens,
    ownMembers: { permissions: ['widgets:create'] },
    changes: { name: 'other', expiresAt: later, permissions: [] },
  },
];
