import { expect, test } from 'vitest';
import { toPageBody } from './page-body.ts';

const request = { page: 2, pageSize: 2 };
const items = [3, 4];

test('without a word of the store, the total tells whether there is a next page', () => {
  expect(toPageBody(request, { items, totalItems: 4 }, String)).toEqual({
    ...request,
    items: ['3', '4'],
    totalItems: 4,
    totalPages: 2,
    hasNext: false,
  });
  expect(toPageBody(request, { items, totalItems: 5 }, String)).toMatchObject({ totalPages: 3, hasNext: true });
});

test('where the total is only a lower bound, the store says whether there is a next page', () => {
  const page = toPageBody(request, { items, totalItems: 4, hasNext: true }, String);
  expect(page).toMatchObject({ totalItems: 4, totalPages: 2, hasNext: true });
});
