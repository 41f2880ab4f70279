import { expect, test } from 'vitest';
import { serveSeveralAnswerers } from './several-answerers.ts';

function createPod() {
  const state: { answer: ((question: string) => string | null) | null } = { answer: null };
  const shared = serveSeveralAnswerers({
    ask: async (question) => ({ asked: 1, answers: [state.answer?.(question) ?? ''] }),
    serve: (answer) => {
      state.answer = answer;
      return () => {
        state.answer = null;
      };
    },
  });
  return { state, shared };
}

test('the part that knows a question answers it, and a part that ends answers no more', () => {
  const { state, shared } = createPod();
  const stopFirst = shared.serve((question) => (question === 'one' ? '1' : null));
  const stopSecond = shared.serve((question) => (question === 'two' ? '2' : null));
  expect([state.answer?.('one'), state.answer?.('two'), state.answer?.('three')]).toEqual(['1', '2', null]);
  stopFirst();
  expect([state.answer?.('one'), state.answer?.('two')]).toEqual([null, '2']);
  stopSecond();
  expect(state.answer).toBeNull();
});
