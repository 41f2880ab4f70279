import type { TextPlace, TextPlaces } from '@widget-service/shared/domain/hook-source.ts';
import { z } from 'zod';
import { forArrayLength } from '../schemas/text.ts';
import { parsePointer } from './json-pointer.ts';

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
export const foreignText = text(0, 1_024);

/** A text of this many characters. Zod's own length checks would also run for values of other types. */
export function text(min: number, max: number) {
  return z
    .string()
    .refine((value) => value.length >= min && value.length <= max, `Must have ${min} to ${max} characters.`);
}

export const placeMembers = {
  from: pointer.optional(),
  header: headerName.optional(),
  value: constant.optional(),
};
type PlaceInput = { [Name in keyof typeof placeMembers]?: string | undefined };

const placeNames = ['from', 'header', 'value', 'now', 'all'] as const;

/** Exactly one of these members says where the value is. */
export function checkOnePlace(names: readonly (typeof placeNames)[number][]) {
  return ({ value, issues }: { value: object; issues: unknown[] }): void => {
    const given = names.filter((name) => (value as Record<string, unknown>)[name] !== undefined);
    if (given.length === 1) return;
    issues.push({ code: 'custom', message: `Must have exactly one of ${names.join(', ')}.`, input: value });
  };
}

export function toPlace({ from, header, value }: PlaceInput): TextPlace {
  if (from !== undefined) return { from };
  return header === undefined ? { value: value ?? '' } : { header };
}

const place = z.strictObject(placeMembers).check(checkOnePlace(['from', 'header', 'value']));
export const severalPlaces = z
  .array(place)
  .min(2, forArrayLength)
  .max(4, forArrayLength)
  .describe('Several places. The text is then the JSON array of their texts, which no other texts give.');

type PlacesInput = PlaceInput & { readonly all?: readonly PlaceInput[] | undefined };

export function toPlaces({ all, ...one }: PlacesInput): TextPlaces {
  return all === undefined ? toPlace(one) : { all: all.map(toPlace) };
}
