import type { components } from '@widget-service/client/interface.ts';

type Schemas = components['schemas'];

/** `admin@example.com (admin)`. */
export function describeUser({ email, role }: Pick<Schemas['User'], 'email' | 'role'>): string {
  return `${email} (${role})`;
}

/** `lamp (active, version 3)`. */
export function describeWidget({ id, name, state, version }: Schemas['Widget']): string {
  return `${id}  ${name} (${state}, version ${version})`;
}
