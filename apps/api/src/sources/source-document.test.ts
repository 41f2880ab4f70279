import { expect, test } from 'vitest';
import { readCloudEvent } from './source-document.ts';

test('a repeated attribute of a CloudEvent is none, so that nobody can choose which one counts', () => {
  const rawHeaders = ['ce-specversion', '1.0', 'ce-id', 'one', 'CE-Type', 'a%20b', 'ce-id', 'two', 'x-id', 'three'];
  const { value } = readCloudEvent({ rawHeaders, body: Buffer.from('{"id":"four"}'), urls: [] });
  expect(value).toEqual({ specversion: '1.0', type: 'a b', data: { id: 'four' } });
});
