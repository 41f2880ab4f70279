import {
  type HookSource,
  type SignatureScheme,
  sourcePresets,
  type TextPlaces,
} from '@widget-service/shared/domain/hook-source.ts';
import { z } from 'zod';
import { kindOutcome } from './mapping-schema.ts';

const shownPlace = {
  from: z.string().optional(),
  header: z.string().optional(),
  value: z.string().optional(),
};
const shownPlaces = { ...shownPlace, all: z.array(z.object(shownPlace)).optional() };

/** What was given, with every default filled in. It has no secret. */
export const sourceSchema = z
  .object({
    preset: z.enum(sourcePresets),
    scheme: z.record(z.string(), z.unknown()).nullable().describe('Null: that of the preset.'),
    mapping: z.object({
      only: z.array(z.object({ ...shownPlace, in: z.array(z.string()) })),
      kind: z.object({ ...shownPlace, values: z.record(z.string(), kindOutcome), otherwise: kindOutcome }),
      occurredAt: z.object({
        ...shownPlace,
        now: z.boolean().optional(),
        format: z.string(),
        otherwise: z.string(),
      }),
      widgetId: z.object({ ...shownPlaces, as: z.string(), otherwise: z.string() }).nullable(),
      id: z.object(shownPlaces).nullable(),
      payload: z.object({ from: z.string(), without: z.array(z.string()).optional() }).nullable(),
    }),
  })
  .meta({ id: 'HookSource', description: 'How the integration understands a foreign sender.' });

/** Converts a source to the form that the API returns. */
export function toSourceBody({ preset, scheme, mapping }: HookSource): z.output<typeof sourceSchema> {
  const { only, kind, occurredAt, widgetId, id, payload } = mapping;
  const { place: kindPlace, ...kindRest } = kind;
  const { place: timePlace, ...timeRest } = occurredAt;
  return {
    preset,
    scheme: scheme === null ? null : toSchemeBody(scheme),
    mapping: {
      only: only.map(({ place: one, in: texts }) => ({ ...one, in: [...texts] })),
      kind: { ...kindPlace, values: { ...kindRest.values }, otherwise: kindRest.otherwise },
      occurredAt: { ...(timePlace ?? { now: true }), ...timeRest },
      widgetId:
        widgetId === null ? null : { ...copyPlaces(widgetId.place), as: widgetId.as, otherwise: widgetId.otherwise },
      id: id === null ? null : copyPlaces(id),
      payload: payload === null ? null : copyPayload(payload),
    },
  };
}

/** Only what has an effect, so that it can be sent again for another integration. */
function toSchemeBody({ bodyHashParameter: _, ...scheme }: SignatureScheme): Record<string, unknown> {
  const { algorithm, header, prefix, challengeParameter = null } = scheme;
  if (algorithm === 'none') return { algorithm, challengeParameter };
  if (algorithm === 'basic') return { algorithm, header, challengeParameter };
  return algorithm === 'token' ? { algorithm, header, prefix, challengeParameter } : { ...scheme, challengeParameter };
}

function copyPlaces(places: TextPlaces) {
  return 'all' in places ? { all: [...places.all] } : places;
}

function copyPayload({ from, without }: NonNullable<HookSource['mapping']['payload']>) {
  return without === undefined ? { from } : { from, without: [...without] };
}
