import { z } from 'zod';
import { type HookKind, hookKinds } from '../domain/event-kind.ts';
import { timeFormats } from '../domain/foreign-time.ts';
import { type DeepReadonly, forArrayLength } from './define-entity.ts';

// Where the members of a hook are in the requests of a foreign sender. Requests, stored integrations and responses
// contain this one form.

/**
 * Returns the steps of a JSON Pointer (RFC 6901), or null if the text is not one. The empty text points to the whole
 * document.
 */
export function parsePointer(pointer: string): readonly string[] | null {
  if (pointer === '') return [];
  if (!pointer.startsWith('/') || /~(?![01])/.test(pointer)) return null;
  return pointer
    .slice(1)
    .split('/')
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** A text of this many characters. Zod's own length checks would also run for values of other types. */
export function textOfLength(min: number, max: number) {
  return z
    .string()
    .refine((value) => value.length >= min && value.length <= max, `Must have ${min} to ${max} characters.`);
}

export const pointer = textOfLength(0, 512)
  .refine((value) => parsePointer(value) !== null, 'Must be a JSON Pointer (RFC 6901), such as /data/id.')
  .meta({ description: 'A JSON Pointer (RFC 6901) into the body.', examples: ['/repository/full_name'] });
export const headerName = textOfLength(1, 128)
  .regex(/^[!#$%&'*+.^`|~\w-]+$/, 'Must be the name of a header.')
  .toLowerCase()
  .meta({ description: 'The name of a header.', examples: ['x-github-delivery'] });
/** A text of the sender. */
const foreignText = textOfLength(0, 1_024);

const placeMembers = {
  from: pointer.optional(),
  header: headerName.optional(),
  value: textOfLength(1, 1_024).describe('A constant.').optional(),
};

/** Exactly one of these members says where the value is. */
function checkOnePlace(names: readonly ('from' | 'header' | 'value' | 'now' | 'all')[]) {
  return ({ value, issues }: { value: object; issues: unknown[] }): void => {
    const given = names.filter((name) => (value as Record<string, unknown>)[name] !== undefined);
    if (given.length === 1) return;
    issues.push({ code: 'custom', message: `Must have exactly one of ${names.join(', ')}.`, input: value });
  };
}

const place = z.strictObject(placeMembers).check(checkOnePlace(['from', 'header', 'value']));
const severalPlaces = z
  .array(place)
  .min(2, forArrayLength)
  .max(4, forArrayLength)
  .describe(
    'Several places. The text is then the JSON array of their texts, so that different texts never give the same one.',
  );

/** `ignore`: the request is answered with 202, and has no effect. `refuse`: with `hook-not-mappable`. */
export const kindOutcome = z.enum([...hookKinds, 'ignore', 'refuse'] satisfies (HookKind | 'ignore' | 'refuse')[]);
const valuesMax = 100;

const filter = z
  .strictObject({
    from: placeMembers.from,
    header: placeMembers.header,
    in: z.array(foreignText).min(1, forArrayLength).max(50, forArrayLength),
  })
  .check(checkOnePlace(['from', 'header']));

const kind = z
  .strictObject({
    ...placeMembers,
    values: z
      .record(foreignText, kindOutcome)
      .refine((values) => Object.keys(values).length <= valuesMax, `Must have at most ${valuesMax} members.`)
      .optional()
      .transform((values = {}) => values)
      .describe('What each text of the sender stands for. A text that is a kind itself needs no member.'),
    otherwise: kindOutcome.default('refuse').describe('For every other text, and where there is none.'),
  })
  .check(checkOnePlace(['from', 'header', 'value']));

const occurredAt = z
  .strictObject({
    from: placeMembers.from,
    header: placeMembers.header,
    now: z.literal(true).optional().describe('The time of the arrival.'),
    format: z.enum(timeFormats).default('rfc3339'),
    otherwise: z.enum(['now', 'refuse']).default('refuse').describe('Where there is no text.'),
  })
  .check(checkOnePlace(['from', 'header', 'now']));

const widgetId = z
  .strictObject({
    ...placeMembers,
    all: severalPlaces.optional(),
    as: z
      .enum(['uuid', 'name'])
      .default('uuid')
      .describe(
        '`name`: any text. The widget is the UUIDv5 of the text in the namespace of the integration’s id, so that the same foreign object is always the same widget.',
      ),
    otherwise: z.enum(['none', 'refuse']).default('refuse').describe('Where there is no text.'),
  })
  .check(checkOnePlace(['from', 'header', 'value', 'all']))
  .refine(({ all, as }) => all === undefined || as === 'name', {
    path: ['as'],
    message: 'Must be name: several texts are no UUID.',
  });

const id = z
  .strictObject({ from: placeMembers.from, header: placeMembers.header, all: severalPlaces.optional() })
  .check(checkOnePlace(['from', 'header', 'all']));

const payload = z.strictObject({
  from: pointer,
  without: z
    .array(pointer.refine((text) => text !== '', 'Must name a member.'))
    .max(20, forArrayLength)
    .exactOptional()
    .describe('Members of the object that the payload leaves out: JSON Pointers into the object.'),
});

export const mappingSchema = z.strictObject({
  only: z
    .array(filter)
    .max(10, forArrayLength)
    .optional()
    .transform((filters = []) => filters)
    .describe('A request that does not match every filter is ignored: it gets 202, and has no effect.'),
  kind,
  occurredAt: occurredAt.nullish().describe('Null or left out: as the preset says.'),
  widgetId: widgetId
    .nullish()
    .transform((value) => value ?? null)
    .describe('Null or left out: hooks have no widget.'),
  id: id
    .nullish()
    .describe(
      'What identifies repetitions of a hook. Left out: as the preset says. Null: the content does, if the integration has `deduplicateByContent`.',
    ),
  payload: payload
    .nullish()
    .describe(
      'An object in the body. Left out: the whole body without what the sender documents as secret. Null: hooks have no payload.',
    ),
});

/** With what the preset decides, as integrations keep it. */
export const completeMappingSchema = mappingSchema.extend({
  occurredAt,
  id: id.nullable(),
  payload: payload.nullable(),
});

export type GivenMapping = DeepReadonly<z.output<typeof mappingSchema>>;
export type HookMapping = DeepReadonly<z.output<typeof completeMappingSchema>>;
export type TextFilter = HookMapping['only'][number];
/** Where a text is: at a JSON Pointer (RFC 6901) into the body, in a header (lower case), or a constant. */
export type TextPlace = DeepReadonly<z.output<typeof place>>;
/** One place, or several: then the text is the JSON array of their texts, so different texts never give the same. */
export type TextPlaces = TextPlace & { readonly all?: readonly TextPlace[] | undefined };
