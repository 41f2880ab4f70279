import { applyHooks } from '@widget-service/shared/domain/effect.ts';
import { ServiceError } from '@widget-service/shared/domain/errors.ts';
import { hookKinds } from '@widget-service/shared/domain/event-kind.ts';
import { unsealSecrets } from '@widget-service/shared/domain/sealed-secrets.ts';
import { sha256Hex } from '@widget-service/shared/domain/token.ts';
import { toEventWithoutWidget, toWidgetEvent } from '@widget-service/shared/domain/widget-event.ts';
import { findValidToken, type Integration } from '@widget-service/shared/entities/grant.ts';
import type { HookSource } from '@widget-service/shared/entities/hook-source.ts';
import { deriveHookEventId } from '@widget-service/shared/usecases/hooks/accept-hook.ts';
import { z } from 'zod';
import { describeBodyLimit } from '../http/answer-failure.ts';
import { rejectEncoded } from '../http/json-body.ts';
import { idParamsSchema } from '../http/resource.ts';
import { defineRoute, type Route } from '../http/route.ts';
import type { RouteDeps } from '../route-deps.ts';
import { toJsonWith } from '../schemas/body.ts';
import { documentResponses } from '../schemas/problem.ts';
import { widgetEventSchema } from '../schemas/widget.ts';
import type { MappedHook } from '../sources/map-hook.ts';
import { findSourceRefusal, type ReadSource, readSource, requireSource } from '../sources/read-source.ts';
import { findScheme } from '../sources/sender-presets.ts';
import { listSignedUrls, readHeader, type SentRequest } from '../sources/sent-request.ts';
import { toSourceKeys } from '../sources/source-key.ts';
import { exampleSource, triedSourceSchema } from '../sources/source-schema.ts';

const headersMax = 100;

const exampleRequest = {
  headers: { 'content-type': 'application/json', 'x-github-event': 'repository', 'x-github-delivery': 'a-delivery' },
  body: '{"action":"archived","repository":{"full_name":"acme/pump"}}',
};

const requestMembers = {
  headers: z
    .record(z.string(), z.union([z.string(), z.array(z.string())]))
    .refine((headers) => Object.keys(headers).length <= headersMax, `Must have at most ${headersMax} members.`)
    .optional()
    .meta({
      description:
        'The headers of the request. An array: it was sent several times. If the header with the secret or the signature is an empty text, the signature is not verified.',
      examples: [{ 'content-type': 'application/json', 'x-github-event': 'repository' }],
    }),
  body: z.string().describe('The body of the request, as the sender sent it: a signature depends on each byte.'),
  url: z
    .string()
    .refine((url) => URL.canParse(url), 'Must be a URL.')
    .optional()
    .describe(
      'The address that the sender posts to. Some senders sign it. For an integration that exists, only the address opens its secrets: without it, the signature is not verified.',
    ),
};

const sourcePreviewSchema = z
  .strictObject({ source: triedSourceSchema, ...requestMembers })
  .meta({ id: 'NewSourcePreview', examples: [{ source: exampleSource, ...exampleRequest }] });

const integrationPreviewSchema = z
  .strictObject(requestMembers)
  .meta({ id: 'NewHookPreview', examples: [exampleRequest] });

const step = z.enum(['signature', 'body', 'only', 'kind', 'occurredAt', 'widgetId', 'id', 'payload']);

/** The response is rendered by hand (`renderPreview`), because the payload keeps its own text. */
const previewSchema = z
  .object({
    outcome: z
      .enum(['hook', 'ignored', 'answered', 'refused'])
      .describe(
        '`hook`: it would be accepted. `ignored`: answered with 202, without effect. `answered`: a handshake of the sender, answered with 200 and `answer`. `refused`: see `refusal`.',
      ),
    signature: z.object({
      result: z.enum(['valid', 'invalid', 'not-verified']),
      secret: z.int().nullable().describe('Which secret of the integration, from 1.'),
      reason: z.string().nullable().describe('Why it is not valid.'),
    }),
    mapped: z
      .array(
        z.object({
          member: step,
          read: z.string().nullable().describe('The text in the request; null: there is none.'),
          became: z
            .string()
            .nullable()
            .describe('The member of the hook, or what the mapping decided; null: nothing, or the text is refused.'),
        }),
      )
      .describe('Each value that was read, in the order in which it was read.'),
    answer: z.string().nullable(),
    refusal: z
      .object({
        step,
        reason: z.string(),
        pointer: z.string().optional(),
        header: z.string().optional(),
      })
      .nullable()
      .describe('The step that failed. Null: none did.'),
    hook: z
      .object({
        kind: z.enum(hookKinds),
        occurredAt: z.string(),
        widgetId: z.string().nullable(),
        id: z.string().nullable().describe('What identifies repetitions.'),
        payload: z.record(z.string(), z.unknown()).nullable(),
      })
      .nullable()
      .describe('The hook as the interface describes hooks. Null: there is none.'),
    event: widgetEventSchema
      .nullable()
      .describe(
        'The event as streams would send it now. Before the integration exists, it names the nil UUID as its integration, and no widget that is known by a name.',
      ),
  })
  .meta({ id: 'HookPreview', description: 'What the service would do with a request. Nothing is stored.' });

/** The id of no integration (RFC 9562, section 5.9): the source was not saved yet. */
const noIntegrationId = '00000000-0000-0000-0000-000000000000';

const description =
  'Says, step by step, what the service would do with a request of the sender: signature, mapping, the hook, and the event as streams would send it. Nothing is stored, and nothing is sent.';

/** `POST /api/v1/integrations/preview`: tries a source before it is saved. */
export function previewSourceRoute(deps: RouteDeps): Route {
  return defineRoute({
    config: { hasFreeFormBody: true },
    schema: {
      operationId: 'example.integrations.previewSource',
      summary: 'Preview a source',
      description,
      body: sourcePreviewSchema,
      response: documentResponses({ 200: previewSchema }),
    },
    handler: async ({ body: { source: tried, ...request } }, reply) => {
      const { source, secrets } = tried;
      const given = findScheme(source).algorithm === 'none' ? [] : secrets;
      const reading = { source, keys: toSourceKeys(findScheme(source), given), sent: toSentRequest(request) };
      const text = await preview({ ...reading, integration: null }, deps);
      return reply.header('content-type', 'application/json; charset=utf-8').send(text);
    },
  });
}

/** `POST /api/v1/integrations/{id}/preview`: tries the source of an integration. */
export function previewIntegrationRoute(deps: RouteDeps): Route {
  return defineRoute({
    config: { hasFreeFormBody: true },
    schema: {
      operationId: 'example.integrations.preview',
      summary: 'Preview a hook of an integration',
      description: `${description} The integration must have a source.`,
      params: idParamsSchema,
      body: integrationPreviewSchema,
      response: documentResponses({ 200: previewSchema }, 'not-found'),
    },
    handler: async ({ params, body }, reply) => {
      const integration = await requireSource(deps.integrations, params);
      const { source } = integration;
      const keys = toSourceKeys(findScheme(source), findSecrets(integration, body.url, deps.clock.now()));
      const text = await preview({ source, keys, sent: toSentRequest(body), integration }, deps);
      return reply.header('content-type', 'application/json; charset=utf-8').send(text);
    },
  });
}

/** Returns the secrets that the token in the address opens. Null without an address of the integration. */
function findSecrets(integration: Integration, url: string | undefined, now: Date): readonly string[] | null {
  const token =
    URL.parse(url ?? '')
      ?.pathname.split('/')
      .at(-1) ?? '';
  const valid = findValidToken(integration, sha256Hex(token), now);
  return valid === null ? null : unsealSecrets(valid.token.sealedSecret ?? '', token);
}

interface RequestBody {
  readonly headers?: Readonly<Record<string, string | readonly string[]>> | undefined;
  readonly body: string;
  readonly url?: string | undefined;
}

function toSentRequest({ headers = {}, body, url }: RequestBody): SentRequest {
  const rawHeaders = Object.entries(headers).flatMap(([name, values]) =>
    [values].flat().flatMap((value) => [name, value]),
  );
  return { rawHeaders, body: Buffer.from(body), urls: url === undefined ? [] : listSignedUrls(url) };
}

interface PreviewInput extends Pick<Parameters<typeof readSource>[0], 'keys' | 'sent'> {
  readonly source: HookSource;
  /** Null: the source is not saved yet. */
  readonly integration: Integration | null;
}

async function preview(
  { source, keys, sent, integration }: PreviewInput,
  { widgets, clock, settings }: RouteDeps,
): Promise<string> {
  const now = clock.now();
  const mistake = findBodyMistake(sent, settings.BODY_LIMIT_BYTES);
  if (mistake !== null) return renderPreview({ signature: null, mistake }, null, null);
  const read = readSource({ source, keys, sent, integrationId: integration?.id ?? null, now, isPreview: true });
  const hook = read.mapping?.outcome === 'hook' ? read.mapping.hook : null;
  const sender = integration ?? { id: noIntegrationId, deduplicateByContent: true };
  const eventJson = hook === null ? null : await buildEventJson(hook, sender, now, widgets);
  return renderPreview(read, hook, eventJson);
}

/** What the hook address refuses before it verifies a signature. */
function findBodyMistake(sent: SentRequest, bodyLimitBytes: number): ServiceError | null {
  if (sent.body.length > bodyLimitBytes) {
    return new ServiceError('payload-too-large', describeBodyLimit(bodyLimitBytes, true));
  }
  const headers = ['content-type', 'content-encoding'].map((name) => [name, readHeader(sent, name)?.toString()]);
  try {
    if (sent.body.length > 0) rejectEncoded(Object.fromEntries(headers));
  } catch (error) {
    return error as ServiceError;
  }
  return null;
}

async function buildEventJson(
  { kind, occurredAt, widgetId, payload, id }: MappedHook,
  integration: Pick<Integration, 'id' | 'deduplicateByContent'>,
  now: Date,
  widgets: RouteDeps['widgets'],
): Promise<string> {
  const body = { kind, occurredAt, widgetId, payload };
  const sentKey = id === null ? null : ({ kind: 'webhook-id', value: id } as const);
  const eventId = deriveHookEventId({ integration, body, sentKey });
  const delivery = { ...body, eventId, integrationId: integration.id, receivedAt: now, redrive: false };
  const widget = widgetId === null ? null : await widgets.get(widgetId);
  const [entry] = widget === null ? [] : applyHooks(widget, [delivery]).entries;
  if (widget === null || entry === undefined) return toEventWithoutWidget(delivery).json;
  return toWidgetEvent(widget, entry).json;
}

/** Renders it as JSON text: the payload keeps its digits. */
function renderPreview(read: ReadSource, hook: MappedHook | null, eventJson: string | null): string {
  const { signature, answer = null, mapping } = read;
  const mapped = mapping?.values.map(({ step, read: text, became }) => ({ member: step, read: text, became })) ?? [];
  const refusal = findSourceRefusal(read);
  const outcome = refusal !== null ? 'refused' : answer !== null ? 'answered' : (mapping?.outcome ?? 'refused');
  const members = {
    outcome,
    signature: {
      result: signature === null ? 'not-verified' : signature.isValid ? 'valid' : 'invalid',
      secret: signature?.isValid === true ? signature.secret : null,
      reason: signature?.isValid === false ? signature.reason : null,
    },
    mapped,
    answer,
    refusal,
  };
  return toJsonWith(members, { hook: renderHook(hook), event: eventJson ?? 'null' });
}

function renderHook(hook: MappedHook | null): string {
  if (hook === null) return 'null';
  const { payload, ...members } = hook;
  return toJsonWith(members, { payload: payload ?? 'null' });
}
