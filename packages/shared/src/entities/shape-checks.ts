import { parseUuid } from '../domain/uuid.ts';

/** Says for each member of a stored thing whether a value is one. */
export type Shape<T> = { readonly [Name in keyof T]-?: (value: unknown) => boolean };

/** Says whether a value is one of its kind. */
export type Check = (value: unknown) => boolean;

export const text: Check = (value) => typeof value === 'string';
export const filled: Check = (value) => typeof value === 'string' && value !== '';
export const flag: Check = (value) => typeof value === 'boolean';
export const count: Check = (value) => Number.isSafeInteger(value) && (value as number) >= 0;
export const uuid: Check = (value) => typeof value === 'string' && parseUuid(value) === value;
/** A time that RFC 3339 can write: from year 0 to 9999. */
export const time: Check = (value) =>
  value instanceof Date && value.getTime() >= -62_167_219_200_000 && value.getTime() <= 253_402_300_799_999;
export const record: Check = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
export const oneOf =
  (values: readonly unknown[]): Check =>
  (value) =>
    values.includes(value);
export const orNull =
  (check: Check): Check =>
  (value) =>
    value === null || check(value);
export const listOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);
export const mapOf =
  (check: Check): Check =>
  (value) =>
    record(value) && Object.values(value as object).every(check);
export const json: Check = (value) => {
  try {
    return typeof value === 'string' && JSON.parse(value) !== undefined;
  } catch {
    return false;
  }
};
/** A code or a name of this service, such as `not-found`. */
export const code: Check = (value) => typeof value === 'string' && /^[a-z0-9-]{1,100}$/.test(value);
/** An object with these members. Others are allowed: a newer version may have added them. */
export function object<T>(shape: Shape<T>): Check {
  const checks = Object.entries(shape) as [string, Check][];
  return (value) => record(value) && checks.every(([name, check]) => check((value as Record<string, unknown>)[name]));
}
