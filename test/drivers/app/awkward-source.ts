import type { HookSource } from '@widget-service/shared/domain/hook-source.ts';
import { awkwardTexts } from './builders.ts';

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
