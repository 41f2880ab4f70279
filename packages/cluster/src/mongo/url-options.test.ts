import { expect, test } from 'vitest';
import { listIgnoredOptions, requireUsableOptions, withoutReplaced } from './url-options.ts';

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
  ['mongodb://db/?socketTimeoutMS=25000&connectTimeoutMS=5000&retryReads=true', []],
  ['mongodb://db/?retryReads=false&wtimeoutMS=1', ['wtimeoutMS', 'retryReads']],
  ['mongodb://db/?readPreferenceTags=dc:far&j=false&timeoutMS=5', ['j', 'readPreferenceTags', 'timeoutMS']],
  ['mongodb://db/?w=1&journal=false', ['w', 'journal']],
  ['mongodb://db/?readpreference=secondary&readConcernLevel=local', ['readPreference', 'readConcernLevel']],
  ['mongodb://db/?socketTimeoutMS=1&connectTimeoutMS=1', ['connectTimeoutMS', 'socketTimeoutMS']],
])('of %s, these options have no effect: %j', (url, ignored) => {
  expect(listIgnoredOptions(url)).toEqual(ignored);
});

test.each([
  ['raw=true', 'raw: the service cannot run with it; leave it out'],
  [
    'readPreference=secondary&maxstalenessseconds=90',
    'maxStalenessSeconds: the service cannot run with it; leave it out',
  ],
  ['promoteValues=false&BSONRegExp=true', 'bsonRegExp, promoteValues: the service cannot run with it; leave it out'],
  ['minPoolSize=60', 'minPoolSize is above maxPoolSize (50); set both, or leave minPoolSize out'],
  ['minPoolSize=8&maxPoolSize=7', 'minPoolSize is above maxPoolSize (7); set both, or leave minPoolSize out'],
])('%s stops the start with 78, and the message names the option', (query, text) => {
  const check = () => requireUsableOptions(`mongodb://user:secret@db/?${query}`, ours);
  expect(check).toThrow(expect.objectContaining({ exitCode: 78, message: `MONGODB_URL: ${text}` }));
});

test.each(['', '?minPoolSize=50', '?minPoolSize=60&maxPoolSize=0', '?retryWrites=true&w=majority&appName=Cluster0'])(
  'mongodb://db/%s does not stop the start',
  (query) => {
    expect(() => requireUsableOptions(`mongodb://db/${query}`, ours)).not.toThrow();
  },
);
