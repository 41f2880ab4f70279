import type { z } from 'zod';

type Frozen<Value> = Value extends object ? { readonly [Name in keyof Value]: Frozen<Value[Name]> } : Value;
/** What may be given for a member: for a text, also a `Date`. */
type Given<Member> = Member extends string ? (string extends Member ? string | Date : Member) : Frozen<Member>;

/**
 * Makes the body that a schema describes: its members, in its order, and nothing else that is given. So a stored secret
 * stays out of a response unless the schema names it. A nested object passes whole, also what its schema does not name.
 */
export function toBody<Shape extends z.ZodRawShape>(
  { shape }: z.ZodObject<Shape>,
  given: { readonly [Name in keyof z.output<z.ZodObject<Shape>>]: Given<z.output<z.ZodObject<Shape>>[Name]> },
): z.output<z.ZodObject<Shape>> {
  const members: Readonly<Record<string, unknown>> = given;
  const present = Object.keys(shape).filter((name) => members[name] !== undefined);
  return Object.fromEntries(present.map((name) => [name, toMember(members[name])])) as z.output<z.ZodObject<Shape>>;
}

function toMember(value: unknown): unknown {
  return value instanceof Date ? value.toISOString() : value;
}

/** Renders an object as JSON, with further members that are JSON texts: they keep their digits and their order. */
export function toJsonWith(object: object, texts: Readonly<Record<string, string>>): string {
  const members = Object.entries(texts).map(([name, json]) => `,"${name}":${json}`);
  return `${JSON.stringify(object).slice(0, -1)}${members.join('')}}`;
}
