import { describe, expect, test } from 'vitest';
import { emptyMapping, type MappingDraft, toDraft, toMapping, usePlace } from './mapping-draft.ts';

const draft: MappingDraft = {
  kind: '/action',
  kinds: 'archived = retired\na = b = created\n',
  otherwise: 'ignore',
  occurredAt: '/at',
  format: 'unix-seconds',
  timeOtherwise: 'now',
  widgetId: '/plant + /name',
  widgetAs: 'name',
  widgetOtherwise: 'none',
  id: 'header: X-Id',
  payload: '/data without /key, /a/b',
  only: 'header: x-event = push, repository\n/test = false',
};

describe('toMapping', () => {
  test('returns what the service takes', () => {
    expect(toMapping(draft)).toEqual({
      only: [
        { header: 'x-event', in: ['push', 'repository'] },
        { from: '/test', in: ['false'] },
      ],
      kind: { from: '/action', values: { archived: 'retired', 'a = b': 'created' }, otherwise: 'ignore' },
      occurredAt: { from: '/at', format: 'unix-seconds', otherwise: 'now' },
      widgetId: { all: [{ from: '/plant' }, { from: '/name' }], as: 'name', otherwise: 'none' },
      id: { header: 'x-id' },
      payload: { from: '/data', without: ['/key', '/a/b'] },
    });
  });

  test('leaves to the preset what is empty', () => {
    expect(toMapping(emptyMapping)).toBeNull();
    expect(toMapping({ ...emptyMapping, kind: '= created' })).toEqual({
      kind: { value: 'created', values: {}, otherwise: 'updated' },
    });
    expect(toMapping({ ...emptyMapping, kind: '/a', occurredAt: 'now', id: 'none', payload: 'none' })).toMatchObject({
      occurredAt: { now: true },
      id: null,
      payload: null,
    });
  });
});

test('toDraft shows a mapping as it was typed', () => {
  const shown = {
    only: [{ header: 'x-event', in: ['push', 'repository'] }],
    kind: { from: '/action', values: { archived: 'retired' }, otherwise: 'ignore' },
    occurredAt: { from: '/at', format: 'unix-seconds', otherwise: 'now' },
    widgetId: { all: [{ from: '/plant' }, { from: '/name' }], as: 'name', otherwise: 'none' },
    id: null,
    payload: { from: '', without: ['/token', '/response_url'] },
  } as const;
  const shownDraft = toDraft(shown as unknown as Parameters<typeof toDraft>[0]);
  expect(shownDraft).toEqual({
    ...draft,
    kinds: 'archived = retired',
    only: 'header: x-event = push, repository',
    id: 'none',
    payload: 'without /token, /response_url',
  });
  expect(toMapping(shownDraft)).toMatchObject({
    payload: shown.payload,
    only: shown.only,
    occurredAt: shown.occurredAt,
    widgetId: shown.widgetId,
  });
});

test('usePlace puts a clicked value where the person wants it', () => {
  expect(usePlace(draft, 'widgetId', { from: '/id' }, '7').widgetId).toBe('/id');
  expect(usePlace(emptyMapping, 'only', { header: 'x-event' }, 'push').only).toBe('header: x-event = push');
  expect(usePlace(draft, 'only', { from: '/a' }, '1').only.split('\n')).toHaveLength(3);
});
