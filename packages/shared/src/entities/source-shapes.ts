// What the source of an integration must be, as it is stored.

import { hookKinds } from '../domain/event-kind.ts';
import {
  type HookMapping,
  type HookSource,
  type SignatureScheme,
  sourcePresets,
  type WidgetIdMapping,
} from '../domain/hook-source.ts';
import {
  type Check,
  code,
  count,
  listOf,
  mapOf,
  object,
  oneOf,
  optional,
  orNull,
  record,
  type Shape,
  text,
} from './shape-checks.ts';

const place = (value: unknown) =>
  record(value) && ['from', 'header', 'value'].some((name) => text((value as Record<string, unknown>)[name]));
const places: Check = (value) => place(value) || object({ all: listOf(place) })(value);
const kindOutcomes = [...hookKinds, 'ignore', 'refuse'];

const schemeShape: Shape<SignatureScheme> = {
  algorithm: code,
  header: text,
  separator: orNull(text),
  prefix: text,
  encoding: oneOf(['hex', 'base64']),
  signed: text,
  bodyHashParameter: orNull(text),
  timestamp: orNull(record),
  toleranceSeconds: count,
  idHeader: orNull(text),
  secretEncoding: oneOf(['text', 'hex', 'base64', 'whsec']),
  challengeParameter: optional(orNull(text)),
};

export const hookSourceShape: Shape<HookSource> = {
  preset: oneOf(sourcePresets),
  scheme: orNull(object(schemeShape)),
  mapping: object<HookMapping>({
    only: listOf(object<HookMapping['only'][number]>({ place, in: listOf(text) })),
    kind: object<HookMapping['kind']>({
      place,
      values: mapOf(oneOf(kindOutcomes)),
      otherwise: oneOf(kindOutcomes),
    }),
    occurredAt: object<HookMapping['occurredAt']>({
      place: orNull(place),
      format: oneOf(['rfc3339', 'unix-seconds', 'unix-milliseconds']),
      otherwise: oneOf(['now', 'refuse']),
    }),
    widgetId: orNull(
      object<WidgetIdMapping>({ place: places, as: oneOf(['uuid', 'name']), otherwise: oneOf(['none', 'refuse']) }),
    ),
    id: orNull(places),
    payload: orNull(object({ from: text })),
  }),
};
