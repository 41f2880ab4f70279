import {
  type CorpusCase,
  type ExpectedResponse,
  invalidAt,
  invalidParameter,
  json,
  rejects,
  returns,
} from './corpus-case.ts';

const notFound = rejects(404, 'not-found');
const unknownId = '0197a0b0-0000-7000-8000-00000000abcd';
const list = '/api/v1/integrations/{integrationsId}/deliveries';

type Row = readonly [CorpusCase['method'], string, ExpectedResponse, Partial<CorpusCase>?];

const toBody = (body: object) => ({ headers: json, body: JSON.stringify(body) });

const rows: readonly Row[] = [
  ['GET', list, returns(200)],
  ['GET', `${list}?state=dead&page=1&pageSize=200`, returns(200)],
  ['GET', `${list}?page=2147483647`, returns(200)],
  ['GET', `${list}?state=`, invalidParameter('state', 'enum')],
  ['GET', `${list}?to=2026-03-01T10:00:00%2B01:00`, invalidParameter('to', 'format')],
  ['GET', `${list}?webhookId=m1&state=dead&from=2026-03-01T10:00:00Z&page=2`, returns(200)],
  ['GET', `${list}?webhookId=%00%F0%9F%A6%84$where`, returns(200)],
  ['GET', `${list}?reason=store-refused`, invalidParameter('reason', 'unknown-field')],
  ['GET', '/api/v1/deliveries', returns(200)],
  ['GET', '/api/v1/deliveries?state=dead&from=2026-03-01T10:00:00Z&to=2026-03-02T10:00:00Z&pageSize=200', returns(200)],
  ['GET', '/api/v1/deliveries?page=2147483647', returns(200)],
  ['GET', '/api/v1/deliveries?webhookId=m1', invalidParameter('webhookId', 'unknown-field')],
  ['GET', '/api/v1/deliveries', rejects(403, 'permission-denied'), { caller: 'editor' }],
  ['POST', '/api/v1/deliveries', { ...rejects(405, 'method-not-allowed'), allow: 'GET, HEAD' }],
  ['GET', `/api/v1/integrations/${unknownId}/deliveries`, notFound],
  ['GET', '/api/v1/integrations/x/deliveries', notFound],
  ['GET', '/api/v1/integrations/{provision-tokensId}/deliveries', notFound],
  ['GET', `${list}/{deadDeliveryId}`, returns(200)],
  ['GET', `${list}/{deadDeliveryIdInCapitals}`, returns(200)],
  ['GET', `${list}/{otherDeliveryId}`, notFound],
  ['GET', `${list}/${unknownId}`, notFound],
  ['GET', `${list}/x`, notFound],
  ['GET', `${list}/$where`, notFound],
  ['GET', `${list}/{deadDeliveryId}%00`, notFound],
  ...[unknownId, 'x'].flatMap((integrationId): Row[] => [
    ['GET', `/api/v1/integrations/${integrationId}/deliveries/{deadDeliveryId}`, notFound],
    ['POST', `/api/v1/integrations/${integrationId}/deliveries/{deadDeliveryId}/redrive`, notFound],
    ['GET', `/api/v1/integrations/${integrationId}/refusals`, notFound],
    ['GET', `/api/v1/widgets/${integrationId}/deliveries`, notFound],
  ]),
  ['GET', '/api/v1/integrations/{integrationsId}/refusals?webhookId=m1&page=2', returns(200)],
  ['GET', '/api/v1/hook-counts', returns(200)],
  ['GET', '/api/v1/hook-counts?page=2147483647&pageSize=200', returns(200)],
  ['GET', '/api/v1/hook-counts', rejects(403, 'permission-denied'), { caller: 'editor' }],
  ['GET', '/api/v1/widgets/{widgetId}/deliveries?webhookId=m1', invalidParameter('webhookId', 'unknown-field')],
  ['GET', '/api/v1/widgets/{widgetId}/deliveries?state=dead', invalidParameter('state', 'unknown-field')],
  ['POST', `${list}/{publishedDeliveryId}/redrive`, rejects(409, 'delivery-not-dead')],
  ['POST', `${list}/${unknownId}/redrive`, notFound],
  ['POST', `${list}/x/redrive`, notFound],
  ['POST', `${list}/{otherDeliveryId}/redrive`, notFound],
  ['POST', `${list}/{deadDeliveryId}/redrive`, returns(202)],
  ['POST', `${list}/{deadDeliveryId}/redrive`, returns(202), { headers: { 'content-type': 'text/plain' } }],
  ['POST', `${list}/{deadDeliveryId}/redrive`, rejects(400, 'invalid-json'), { headers: json, body: '{' }],
  [
    'POST',
    `${list}/{deadDeliveryId}/redrive`,
    rejects(403, 'csrf-token-invalid'),
    { headers: { 'x-csrf-token': 'x' } },
  ],
  ['POST', `${list}/{deadDeliveryId}/redrive`, rejects(403, 'permission-denied'), { caller: 'editor' }],
  ...[`${list}/redrive`, '/api/v1/deliveries/redrive'].flatMap((url): Row[] => [
    ['POST', url, returns(200), toBody({ eventIds: ['{deadDeliveryId}', '{publishedDeliveryId}', unknownId] })],
    ['POST', url, returns(200), toBody({ eventIds: ['{deadDeliveryIdInCapitals}', '{deadDeliveryId}'] })],
    ['POST', url, returns(200), toBody({ state: 'dead' })],
    [
      'POST',
      url,
      returns(200),
      toBody({ state: 'dead', from: '2020-03-01T10:00:00Z', to: '2020-03-01T10:00:00Z', after: '{deadDeliveryId}' }),
    ],
    ['POST', url, invalidAt('#/after', 'format'), toBody({ state: 'dead', after: unknownId })],
    ['POST', url, invalidAt('#/after', 'format'), toBody({ state: 'dead', after: 'x' })],
    ['POST', url, invalidAt('#/from', 'format'), toBody({ state: 'dead', from: 'yesterday' })],
    ['POST', url, invalidAt('#/state', 'enum'), toBody({ state: 'published' })],
    ['POST', url, invalidAt('#/eventIds', 'required'), toBody({})],
    ['POST', url, invalidAt('#/eventIds', 'too-short'), toBody({ eventIds: [] })],
    ['POST', url, invalidAt('#/eventIds', 'too-long'), toBody({ eventIds: Array(101).fill(unknownId) })],
    ['POST', url, invalidAt('#/eventIds/0', 'format'), toBody({ eventIds: ['x'] })],
    ['POST', url, invalidAt('#/state', 'format'), toBody({ eventIds: [unknownId], state: 'dead' })],
    ['POST', url, invalidAt('#/to', 'format'), toBody({ eventIds: [unknownId], to: '2026-03-01T10:00:00Z' })],
    ['POST', url, invalidAt('#/limit', 'unknown-field'), toBody({ state: 'dead', limit: 1 })],
    ['POST', url, rejects(403, 'permission-denied'), { ...toBody({ state: 'dead' }), caller: 'editor' }],
  ]),
  ['POST', `/api/v1/integrations/${unknownId}/deliveries/redrive`, notFound, toBody({ state: 'dead' })],
  ['POST', list, { ...rejects(405, 'method-not-allowed'), allow: 'GET, HEAD' }],
  ['DELETE', list, { ...rejects(405, 'method-not-allowed'), allow: 'GET, HEAD' }],
  ['DELETE', `${list}/{publishedDeliveryId}`, rejects(409, 'delivery-not-dead')],
  ['DELETE', `${list}/${unknownId}`, notFound],
  ['DELETE', `${list}/x`, notFound],
  ['DELETE', `${list}/{otherDeliveryId}`, notFound],
  ['DELETE', `${list}/{deadDeliveryId}`, rejects(403, 'permission-denied'), { caller: 'editor' }],
  ['DELETE', `${list}/{deadDeliveryId}`, rejects(403, 'csrf-token-invalid'), { headers: { 'x-csrf-token': 'x' } }],
  ['PUT', `${list}/{deadDeliveryId}`, { ...rejects(405, 'method-not-allowed'), allow: 'DELETE, GET, HEAD' }],
];

const texts = '/api/v1/quarantine';

const quarantineRows: readonly Row[] = [
  ['GET', texts, returns(200)],
  ['GET', `${texts}?page=2147483647`, returns(200)],
  ['GET', texts, rejects(403, 'permission-denied'), { caller: 'editor' }],
  ['GET', `${texts}/{quarantinedTextId}`, returns(200)],
  ['GET', `${texts}/{quarantinedTextId}`, rejects(403, 'permission-denied'), { caller: 'viewer' }],
  ['GET', `${texts}/${unknownId}`, notFound],
  ['GET', `${texts}/x`, notFound],
  ['GET', `${texts}/job-1:0`, notFound],
  ['GET', `${texts}/%00`, notFound],
  ['GET', `${texts}/..%2F..%2Fwidgets`, notFound],
  ['GET', `${texts}/${'x'.repeat(8_000)}`, notFound],
  ['DELETE', `${texts}/${unknownId}`, notFound],
  ['DELETE', `${texts}/$where`, notFound],
  ['DELETE', `${texts}/{quarantinedTextId}`, rejects(403, 'csrf-token-invalid'), { headers: { 'x-csrf-token': 'x' } }],
  ['DELETE', `${texts}/{quarantinedTextId}`, rejects(403, 'permission-denied'), { caller: 'editor' }],
  ['DELETE', texts, { ...rejects(405, 'method-not-allowed'), allow: 'GET, HEAD' }],
  ['POST', `${texts}/{quarantinedTextId}`, { ...rejects(405, 'method-not-allowed'), allow: 'DELETE, GET, HEAD' }],
];

const toCases = (cases: readonly Row[]): CorpusCase[] =>
  cases.map(([method, url, expected, rest = {}], index) => ({
    name: `${method} ${url.slice(0, 120)} (case ${index + 1})`,
    method,
    url,
    caller: 'admin',
    expected,
    ...rest,
  }));

/** The lists of deliveries, of refusals and of counts of hooks; one delivery; redrives and discards. */
export const deliveries: readonly CorpusCase[] = toCases(rows);
/** `/api/v1/quarantine`. */
export const quarantine: readonly CorpusCase[] = toCases(quarantineRows);
