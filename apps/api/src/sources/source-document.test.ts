import { expect, test } from 'vitest';
import { readCloudEvent, readDocument } from './source-document.ts';

test('a repeated attribute of a CloudEvent is none, so that nobody can choose which one counts', () => {
  const rawHeaders = ['ce-specversion', '1.0', 'ce-id', 'one', 'CE-Type', 'a%20b', 'ce-id', 'two', 'x-id', 'three'];
  const { value } = readCloudEvent({ rawHeaders, body: Buffer.from('{"id":"four"}'), urls: [] });
  expect(value).toEqual({ specversion: '1.0', type: 'a b', data: { id: 'four' } });
});

const toForm = (text: string) => ({
  rawHeaders: ['content-type', 'application/x-www-form-urlencoded'],
  body: Buffer.from(text),
});

test('a form becomes an object of its fields, and a repeated field an array', () => {
  const { value } = readDocument(toForm('b=1&__proto__=2&a=3&b=4&&c'));
  expect(value).toEqual(JSON.parse('{"b":["1","4"],"__proto__":"2","a":"3","c":""}'));
});

test('a form may have 4 096 fields', () => {
  expect(Object.keys(readDocument(toForm(listFields(4_096))).value as object)).toHaveLength(4_096);
  expect(() => readDocument(toForm(listFields(4_097)))).toThrow('more than 4096 fields');
});

const listFields = (count: number) => Array.from({ length: count }, (_, index) => `n${index}=1`).join('&');
