import type { Schemas } from '../../service/service.ts';

type User = Schemas['User'];

export const roleNames = { viewer: 'Viewer', editor: 'Editor', admin: 'Admin' } as const satisfies Readonly<
  Record<User['role'], string>
>;

/** The roles with their names, from the least to the most powerful. */
export const roles = Object.entries(roleNames) as [User['role'], string][];

/** How the console calls a user: by the name, or without one by the e-mail. */
export function toPersonName({ name, email }: Pick<User, 'name' | 'email'>): string {
  return name ?? email;
}

/** Without letters and digits that look alike. */
const characters = 'abcdefghjkmnpqrstuvwxyz23456789';
const groups = 5;
const groupLength = 4;

/** Makes a password of five groups of four characters, such as `k7wq-x2mc-…`: 99 random bits. */
export function generatePassword(): string {
  // The remainder prefers some characters by less than 1 in 100 million.
  const numbers = [...crypto.getRandomValues(new Uint32Array(groups * groupLength))];
  const text = numbers.map((number) => characters[number % characters.length]).join('');
  return text.match(/.{4}/g)?.join('-') ?? text;
}
