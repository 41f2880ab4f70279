import { readFileSync } from 'node:fs';

const file = new URL('../../deploy/redis/users.acl', import.meta.url);

/** The password of the user in the file: whoever uses the file replaces it. */
export const shippedPassword = 'CHANGE-ME';

/** Returns the name and the rules of the user in `deploy/redis/users.acl`, with this prefix of its keys. */
export function readShippedUser(keyPrefix: string): { readonly name: string; readonly rules: readonly string[] } {
  const user = readFileSync(file, 'utf8')
    .split('\n')
    .find((line) => line.startsWith('user widget-service '));
  if (user === undefined) throw new Error('deploy/redis/users.acl has no user widget-service');
  const [, name = '', ...rules] = user.replaceAll('{widgets}', `{${keyPrefix}}`).split(' ');
  return { name, rules };
}
