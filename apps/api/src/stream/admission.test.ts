import { expect, it } from 'vitest';
import { createAdmission } from './admission.ts';

it('admits as many as a token and the pod may have, and again when one has left', () => {
  const admit = createAdmission({ perToken: 2, perPod: 3 });
  const first = admit('a');
  admit('a');
  expect(admit('a')).toEqual({ status: 'refused', reason: 'too-many-connections' });
  admit('b');
  expect(admit('b')).toEqual({ status: 'refused', reason: 'overloaded' });
  if (first.status === 'admitted') first.leave();
  expect(admit('b').status).toBe('admitted');
  expect(admit('c')).toEqual({ status: 'refused', reason: 'overloaded' });
});
