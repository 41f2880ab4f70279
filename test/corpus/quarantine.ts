import { type CorpusCase, type ExpectedResponse, rejects, returns } from './corpus-case.ts';

const notFound = rejects(404, 'not-found');
const path = '/api/v1/quarantine';
const unknownId = '0197a0b0-0000-7000-8000-00000000abcd';

type Row = readonly [CorpusCase['method'], string, ExpectedResponse, Partial<CorpusCase>?];

const rows: readonly Row[] = [
  ['GET', path, returns(200)],
  ['GET', `${path}?page=2147483647`, returns(200)],
  ['GET', path, rejects(403, 'permission-denied'), { caller: 'editor' }],
  ['GET', `${path}/{quarantinedTextId}`, returns(200)],
  ['GET', `${path}/{quarantinedTextId}`, rejects(403, 'permission-denied'), { caller: 'viewer' }],
  ['GET', `${path}/${unknownId}`, notFound],
  ['GET', `${path}/x`, notFound],
  ['GET', `${path}/job-1:0`, notFound],
  ['GET', `${path}/%00`, notFound],
  ['GET', `${path}/..%2F..%2Fwidgets`, notFound],
  ['GET', `${path}/${'x'.repeat(8_000)}`, notFound],
  ['DELETE', `${path}/${unknownId}`, notFound],
  ['DELETE', `${path}/$where`, notFound],
  ['DELETE', `${path}/{quarantinedTextId}`, rejects(403, 'csrf-token-invalid'), { headers: { 'x-csrf-token': 'x' } }],
  ['DELETE', `${path}/{quarantinedTextId}`, rejects(403, 'permission-denied'), { caller: 'editor' }],
  ['DELETE', path, { ...rejects(405, 'method-not-allowed'), allow: 'GET, HEAD' }],
  ['POST', `${path}/{quarantinedTextId}`, { ...rejects(405, 'method-not-allowed'), allow: 'DELETE, GET, HEAD' }],
];

/** `/api/v1/quarantine`. */
export const quarantine: readonly CorpusCase[] = rows.map(([method, url, expected, rest = {}], index) => ({
  name: `${method} ${url.slice(0, 80)} (case ${index + 1})`,
  method,
  url,
  caller: 'admin',
  expected,
  ...rest,
}));
