import { hookKinds } from '@widget-service/shared/domain/event-kind.ts';
import type {
  HookMapping,
  KindOutcome,
  SourcePreset,
  TextPlace,
  TextPlaces,
} from '@widget-service/shared/domain/hook-source.ts';
import { z } from 'zod';
import { forArrayLength } from '../schemas/text.ts';
import { presets } from './presets.ts';
import { parsePointer } from './source-document.ts';

// In the API, the place of a value stands beside its options (`{ "from": "/action", "values": … }`). In the domain it
// is a member of its own.

export const pointer = text(0, 512)
  .refine((value) => parsePointer(value) !== null, 'Must be a JSON Pointer (RFC 6901), such as /data/id.')
  .meta({ description: 'A JSON Pointer (RFC 6901) into the body.', examples: ['/repository/full_name'] });
export const headerName = text(1, 128)
  .regex(/^[!#$%&'*+.^`|~\w-]+$/, 'Must be the name of a header.')
  .toLowerCase()
  .meta({ description: 'The name of a header.', examples: ['x-github-delivery'] });
const constant = text(1, 1_024).describe('A constant.');
/** A text of the sender. */
const foreignText = text(0, 1_024);

/** A text of this many characters. Zod's own length checks would also run for values of other types. */
export function text(min: number, max: number) {
  return z
    .string()
    .refine((value) => value.length >= min && value.length <= max, `Must have ${min} to ${max} characters.`);
}

const placeMembers = {
  from: pointer.optional(),
  header: headerName.optional(),
  value: constant.optional(),
};
type PlaceInput = { [Name in keyof typeof placeMembers]?: string | undefined };

const placeNames = ['from', 'header', 'value', 'now', 'all'] as const;

/** Exactly one of these members says where the value is. */
function checkOnePlace(names: readonly (typeof placeNames)[number][]) {
  return ({ value, issues }: { value: object; issues: unknown[] }): void => {
    const given = names.filter((name) => (value as Record<string, unknown>)[name] !== undefined);
    if (given.length === 1) return;
    issues.push({ code: 'custom', message: `Must have exactly one of ${names.join(', ')}.`, input: value });
  };
}

function toPlace({ from, header, value }: PlaceInput): TextPlace {
  if (from !== undefined) return { from };
  return header === undefined ? { value: value ?? '' } : { header };
}

const place = z.strictObject(placeMembers).check(checkOnePlace(['from', 'header', 'value']));
const severalPlaces = z
  .array(place)
  .min(2, forArrayLength)
  .max(4, forArrayLength)
  .describe('Several places. The text is then the JSON array of their texts, which no other texts give.');

type PlacesInput = PlaceInput & { readonly all?: readonly PlaceInput[] | undefined };

function toPlaces({ all, ...one }: PlacesInput): TextPlaces {
  return all === undefined ? toPlace(one) : { all: all.map(toPlace) };
}

export const kindOutcome = z.enum([...hookKinds, 'ignore', 'refuse'] satisfies KindOutcome[]);
const valuesMax = 100;

const kind = z
  .strictObject({
    ...placeMembers,
    values: z
      .record(foreignText, kindOutcome)
      .refine((values) => Object.keys(values).length <= valuesMax, `Must have at most ${valuesMax} members.`)
      .optional()
      .describe('What each text of the sender stands for. A text that is a kind itself needs no member.'),
    otherwise: kindOutcome
      .optional()
      .meta({ default: 'refuse', description: 'For every other text, and where there is none.' }),
  })
  .check(checkOnePlace(['from', 'header', 'value']));

const occurredAt = z
  .strictObject({
    from: placeMembers.from,
    header: placeMembers.header,
    now: z.literal(true).optional().describe('The time of the arrival.'),
    format: z.enum(['rfc3339', 'unix-seconds', 'unix-milliseconds']).optional().meta({ default: 'rfc3339' }),
    otherwise: z.enum(['now', 'refuse']).optional().meta({ default: 'refuse', description: 'Where there is no text.' }),
  })
  .check(checkOnePlace(['from', 'header', 'now']));

const widgetId = z
  .strictObject({
    ...placeMembers,
    all: severalPlaces.optional(),
    as: z.enum(['uuid', 'name']).optional().meta({
      default: 'uuid',
      description:
        '`name`: any text. The widget is the UUIDv5 of the text in the namespace of the integration’s id, so that the same foreign object is always the same widget.',
    }),
    otherwise: z
      .enum(['none', 'refuse'])
      .optional()
      .meta({ default: 'refuse', description: 'Where there is no text.' }),
  })
  .check(checkOnePlace(['from', 'header', 'value', 'all']))
  .refine(({ all, as }) => all === undefined || as === 'name', {
    path: ['as'],
    message: 'Must be name: several texts are no UUID.',
  });

const filter = z
  .strictObject({
    from: placeMembers.from,
    header: placeMembers.header,
    in: z.array(foreignText).min(1, forArrayLength).max(50, forArrayLength),
  })
  .check(checkOnePlace(['from', 'header']));

const id = z
  .strictObject({ from: placeMembers.from, header: placeMembers.header, all: severalPlaces.optional() })
  .check(checkOnePlace(['from', 'header', 'all']));

const mappingMembers = z.strictObject({
  only: z
    .array(filter)
    .max(10, forArrayLength)
    .optional()
    .describe('A request that does not match every filter is ignored: it gets 202, and has no effect.'),
  kind,
  occurredAt: occurredAt.nullish().describe('Null or left out: as the preset says.'),
  widgetId: widgetId.nullish().describe('Null or left out: hooks have no widget.'),
  id: id
    .nullish()
    .describe(
      'What identifies repetitions of a hook. Left out: as the preset says. Null: the content does, if the integration has `deduplicateByContent`.',
    ),
  payload: z
    .strictObject({
      from: pointer,
      without: z
        .array(pointer.refine((text) => text !== '', 'Must name a member.'))
        .max(20, forArrayLength)
        .exactOptional()
        .describe('Members of the object that the payload leaves out: JSON Pointers into the object.'),
    })
    .nullish()
    .describe(
      'An object in the body. Left out: the whole body without what the sender documents as secret. Null: hooks have no payload.',
    ),
});
type MappingInput = z.output<typeof mappingMembers>;

/** Completes the mapping with the defaults of the preset. */
export function completeMapping(preset: SourcePreset, input: MappingInput): HookMapping {
  const { defaults, secretMembers } = presets[preset];
  const wholeBody = secretMembers.length === 0 ? { from: '' } : { from: '', without: secretMembers };
  const { only = [], kind, occurredAt, widgetId, id, payload = wholeBody } = input;
  return {
    only: only.map(({ in: texts, ...one }) => ({ place: toPlace(one), in: texts })),
    kind: { place: toPlace(kind), values: kind.values ?? {}, otherwise: kind.otherwise ?? 'refuse' },
    occurredAt:
      occurredAt === undefined || occurredAt === null
        ? defaults.occurredAt
        : {
            place: occurredAt.now === true ? null : toPlace(occurredAt),
            format: occurredAt.format ?? 'rfc3339',
            otherwise: occurredAt.otherwise ?? 'refuse',
          },
    widgetId:
      widgetId === undefined || widgetId === null
        ? null
        : { place: toPlaces(widgetId), as: widgetId.as ?? 'uuid', otherwise: widgetId.otherwise ?? 'refuse' },
    id: id === undefined ? defaults.id : id === null ? null : toPlaces(id),
    payload,
  };
}

const mappingDescription =
  'Where the members of a hook are in the requests of the sender. `from`: a JSON Pointer into the body (of a form, into an object of its fields, or into the JSON of its field `payload`). `header`: a header. `value`: a constant.';

/** Of a sender with the preset `github`. */
export const exampleMapping = {
  only: [{ header: 'x-github-event', in: ['repository', 'push'] }],
  kind: { from: '/action', values: { archived: 'retired', deleted: 'retired' }, otherwise: 'updated' },
  occurredAt: { from: '/repository/updated_at', otherwise: 'now' },
  widgetId: { from: '/repository/full_name', as: 'name' },
  payload: { from: '/repository' },
};

export const mappingSchema = mappingMembers.meta({
  id: 'NewHookMapping',
  description: mappingDescription,
  examples: [exampleMapping],
});
