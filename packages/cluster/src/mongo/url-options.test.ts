import { expect, test } from 'vitest';
import { listIgnoredOptions, withoutReplaced } from './url-options.ts';

const ours = { appName: 'widget-service', retryWrites: true, maxPoolSize: 50, connectTimeoutMS: 5_000 };

test('the connection string decides on retries of writes, the size of the pool and the name', () => {
  const url = 'mongodb://db/?retrywrites=false&maxPoolSize=7&appName=other';
  expect(withoutReplaced(url, ours)).toEqual({ connectTimeoutMS: 5_000 });
});

test('without them, and for all others, ours count', () => {
  expect(withoutReplaced('mongodb://db/?connectTimeoutMS=1', ours)).toEqual(ours);
  expect(withoutReplaced('mongodb://db/', ours)).toEqual(ours);
});

test.each([
  ['mongodb+srv://user:secret@db.example/?retryWrites=true&w=majority&appName=Cluster0', []],
  ['mongodb://db/?readPreference=primary&journal=true&readConcernLevel=majority&tls=true', []],
  ['mongodb://db/?socketTimeoutMS=8000&connectTimeoutMS=5000&retryReads=true', []],
  ['mongodb://db/?retryReads=false&wtimeoutMS=1', ['wtimeoutMS', 'retryReads']],
  ['mongodb://db/?w=1&journal=false', ['w', 'journal']],
  ['mongodb://db/?readpreference=secondary&readConcernLevel=local', ['readPreference', 'readConcernLevel']],
  ['mongodb://db/?socketTimeoutMS=1&connectTimeoutMS=1', ['connectTimeoutMS', 'socketTimeoutMS']],
])('of %s, these options have no effect: %j', (url, ignored) => {
  expect(listIgnoredOptions(url)).toEqual(ignored);
});
