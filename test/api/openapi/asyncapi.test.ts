import specs from '@asyncapi/specs';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { expect, test } from 'vitest';
import { openSharedService } from '../../drivers/app/open-shared.ts';
import { fetchOpenApiDocument, type Json } from '../../drivers/app/openapi-document.ts';
import { openTestService } from '../../drivers/app/test-service.ts';

interface AsyncApiDocument {
  readonly asyncapi: string;
  readonly servers?: Readonly<Record<string, Json>>;
  readonly channels: Readonly<Record<string, { readonly address: string; readonly messages: Json }>>;
  readonly operations: Readonly<Record<string, { readonly action: string; readonly channel: Json }>>;
  readonly components: { readonly schemas: Json; readonly messages: Readonly<Record<string, Json>> };
}

const service = await openSharedService();
const document = await fetchDocument(service.url);

async function fetchDocument(url: string): Promise<AsyncApiDocument> {
  const response = await fetch(`${url}/api/v1/asyncapi.json`);
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
  return (await response.json()) as AsyncApiDocument;
}

test('GET /api/v1/asyncapi.json is a valid AsyncAPI 3.0 document', () => {
  const ajv = new Ajv({ strict: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addFormat('idn-email', true);
  ajv.addFormat('iri', true);
  ajv.addFormat('iri-reference', true);
  const validate = ajv.compile(specs.schemasWithoutId['3.0.0'] as object);
  validate(document);
  expect(validate.errors?.map(({ instancePath, message }) => `${instancePath} ${message}`) ?? []).toEqual([]);
});

test('the service sends every event of a stream, and receives hooks', () => {
  expect(Object.values(document.operations).map(({ action, channel }) => [action, channel.$ref])).toEqual([
    ['send', '#/channels/stream'],
    ['receive', '#/channels/hooks'],
  ]);
  expect(document.channels.stream?.address).toBe('/api/v1/events/{token}');
  expect(document.channels.hooks?.address).toBe('/api/v1/events/hooks/{token}');
  expect(Object.values(document.components.messages).map(({ name }) => name)).toEqual([
    'widget.created',
    'widget.updated',
    'widget.retired',
    'stream.open',
    'stream.gap',
    'stream.position',
    'stream.closing',
    'hook',
  ]);
});

test('its schemas are those of the OpenAPI document', async () => {
  const openApi = await fetchOpenApiDocument(service);
  for (const [name, schema] of Object.entries(document.components.schemas)) {
    expect(schema, name).toEqual(openApi.components.schemas?.[name]);
  }
  expect(Object.keys(document.components.schemas)).toContain('WidgetEvent');
});

test('it names the public address of the service, if that is set', async () => {
  expect(document.servers).toBeUndefined();
  const named = await openTestService({ PUBLIC_BASE_URL: 'https://widgets.example.com' });
  const { servers } = await fetchDocument(named.url);
  await named.close();
  expect(servers).toEqual({ service: { host: 'widgets.example.com', protocol: 'https' } });
});
