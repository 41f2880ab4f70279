import type { Schemas } from '../../service/service.ts';

type Refusal = Pick<Schemas['Refusal'], 'detail' | 'errors'>;

/** Says why a hook was refused, in one line: the mistakes in it if the service names any. */
export function describeRefusal({ detail, errors }: Refusal): string {
  return errors.length === 0 ? detail : describeMistakes(errors);
}

/** `kind: Must be given. payload: Must be an object.` */
export function describeMistakes(errors: Refusal['errors']): string {
  return errors.map(describeMistake).join(' ');
}

function describeMistake({ pointer, detail }: Refusal['errors'][number]): string {
  const member = pointer?.replace(/^#?\//, '') ?? '';
  return member === '' ? detail : `${member}: ${detail}`;
}
