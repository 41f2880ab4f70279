import { answers, type CorpusAnswer, type CorpusCase, json, refuses, wrongParameter } from './corpus-case.ts';

const notFound = refuses(404, 'not-found');
const unknown = '0197a0b0-0000-7000-8000-00000000abcd';
const list = '/api/v1/integrations/{integrationsId}/deliveries';

type Row = readonly [CorpusCase['method'], string, CorpusAnswer, Partial<CorpusCase>?];

const rows: readonly Row[] = [
  ['GET', list, answers(200)],
  ['GET', `${list}?state=dead&page=1&pageSize=200`, answers(200)],
  ['GET', `${list}?page=2147483647`, answers(200)],
  ['GET', `${list}?page=0`, wrongParameter('page', 'too-small')],
  ['GET', `${list}?pageSize=201`, wrongParameter('pageSize', 'too-large')],
  ['GET', `${list}?state=lost`, wrongParameter('state', 'enum')],
  ['GET', `${list}?state=`, wrongParameter('state', 'enum')],
  ['GET', `${list}?state=dead&state=dead`, wrongParameter('state', 'repeated')],
  ['GET', `${list}?reason=store-refused`, wrongParameter('reason', 'unknown-field')],
  ['GET', `/api/v1/integrations/${unknown}/deliveries`, notFound],
  ['GET', '/api/v1/integrations/x/deliveries', notFound],
  ['GET', '/api/v1/integrations/{provision-tokensId}/deliveries', notFound],
  ['GET', `${list}/{deadDeliveryId}`, answers(200)],
  ['GET', `${list}/{deadDeliveryIdInCapitals}`, answers(200)],
  ['GET', `${list}/{otherDeliveryId}`, notFound],
  ['GET', `${list}/${unknown}`, notFound],
  ['GET', `${list}/x`, notFound],
  ['GET', `${list}/$where`, notFound],
  ['GET', `${list}/{deadDeliveryId}%00`, notFound],
  ['POST', `${list}/{publishedDeliveryId}/redrive`, refuses(409, 'delivery-not-dead')],
  ['POST', `${list}/${unknown}/redrive`, notFound],
  ['POST', `${list}/x/redrive`, notFound],
  ['POST', `${list}/{otherDeliveryId}/redrive`, notFound],
  ['POST', `${list}/{deadDeliveryId}/redrive`, answers(202)],
  ['POST', `${list}/{deadDeliveryId}/redrive`, answers(202), { headers: { 'content-type': 'text/plain' } }],
  ['POST', `${list}/{deadDeliveryId}/redrive`, refuses(400, 'invalid-json'), { headers: json, body: '{' }],
  [
    'POST',
    `${list}/{deadDeliveryId}/redrive`,
    refuses(403, 'csrf-token-invalid'),
    { headers: { 'x-csrf-token': 'x' } },
  ],
  ['POST', `${list}/{deadDeliveryId}/redrive`, refuses(403, 'permission-denied'), { as: 'editor' }],
  ['POST', list, { ...refuses(405, 'method-not-allowed'), allow: 'GET, HEAD' }],
  ['DELETE', `${list}/{deadDeliveryId}`, { ...refuses(405, 'method-not-allowed'), allow: 'GET, HEAD' }],
];

/** `/api/v1/integrations/{id}/deliveries`. */
export const deliveries: readonly CorpusCase[] = rows.map(([method, url, expected, rest = {}], index) => ({
  name: `${index + 1}: ${method} ${url}`,
  method,
  url,
  as: 'admin',
  expected,
  ...rest,
}));
