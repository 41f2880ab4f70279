import type { Schemas } from '../../service/service.ts';

/** How the console calls a user: by the name, or without one by the e-mail. */
export function toPersonName({ name, email }: Pick<Schemas['User'], 'name' | 'email'>): string {
  return name ?? email;
}
