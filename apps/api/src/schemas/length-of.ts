/**
 * For zod's bounds of a length, as their second argument: what is asked for its length is a text or an array. By
 * themselves they ask whatever was sent, after it was refused too, and fail on an object whose `length` is no number.
 * Zod's types hide that it can be told so.
 */
export const lengthOfText: object = { when: ({ value }: { value: unknown }) => typeof value === 'string' };
export const lengthOfArray: object = { when: ({ value }: { value: unknown }) => Array.isArray(value) };
