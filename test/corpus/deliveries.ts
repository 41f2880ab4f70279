import { type CorpusCase, type ExpectedResponse, invalidParameter, json, rejects, returns } from './corpus-case.ts';

const notFound = rejects(404, 'not-found');
const unknownId = '0197a0b0-0000-7000-8000-00000000abcd';
const list = '/api/v1/integrations/{integrationsId}/deliveries';

type Row = readonly [CorpusCase['method'], string, ExpectedResponse, Partial<CorpusCase>?];

const rows: readonly Row[] = [
  ['GET', list, returns(200)],
  ['GET', `${list}?state=dead&page=1&pageSize=200`, returns(200)],
  ['GET', `${list}?page=2147483647`, returns(200)],
  ['GET', `${list}?page=0`, invalidParameter('page', 'too-small')],
  ['GET', `${list}?pageSize=201`, invalidParameter('pageSize', 'too-large')],
  ['GET', `${list}?state=lost`, invalidParameter('state', 'enum')],
  ['GET', `${list}?state=`, invalidParameter('state', 'enum')],
  ['GET', `${list}?state=dead&state=dead`, invalidParameter('state', 'repeated')],
  ['GET', `${list}?from=yesterday`, invalidParameter('from', 'format')],
  ['GET', `${list}?to=2026-03-01T10:00:00%2B01:00`, invalidParameter('to', 'format')],
  ['GET', `${list}?webhookId=m1&state=dead&from=2026-03-01T10:00:00Z&page=2`, returns(200)],
  ['GET', `${list}?webhookId=%00%F0%9F%A6%84$where`, returns(200)],
  ['GET', `${list}?webhookId=`, invalidParameter('webhookId', 'too-short')],
  ['GET', `${list}?webhookId=m1&webhookId=m2`, invalidParameter('webhookId', 'repeated')],
  ['GET', `${list}?kind=updated`, invalidParameter('kind', 'unknown-field')],
  ['GET', `${list}?reason=store-refused`, invalidParameter('reason', 'unknown-field')],
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
  ['GET', '/api/v1/integrations/{integrationsId}/refusals?webhookId=', invalidParameter('webhookId', 'too-short')],
  ['GET', '/api/v1/integrations/{integrationsId}/refusals?code=x', invalidParameter('code', 'unknown-field')],
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

/** `/api/v1/integrations/{id}/deliveries` and `refusals`, and `/api/v1/widgets/{id}/deliveries`. */
export const deliveries: readonly CorpusCase[] = rows.map(([method, url, expected, rest = {}], index) => ({
  name: `${method} ${url} (case ${index + 1})`,
  method,
  url,
  caller: 'admin',
  expected,
  ...rest,
}));
