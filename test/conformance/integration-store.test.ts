import { randomUUID } from 'node:crypto';
import { digestOf } from '@widget-service/shared/domain/token.ts';
import type { Integration } from '@widget-service/shared/ports/integration-store.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { awkwardTexts, someTime } from '../support/builders.ts';
import { openTestBackend } from '../support/open-test-backend.ts';
import type { TestBackend } from '../support/test-backend.ts';

function anIntegration(overrides: Partial<Integration> = {}): Integration {
  return {
    id: randomUUID(),
    name: 'An integration',
    tokenDigest: digestOf(randomUUID()),
    deduplicateByContent: true,
    createdAt: someTime,
    ...overrides,
  };
}

describe('IntegrationStore', () => {
  let store: TestBackend;
  beforeAll(async () => {
    store = await openTestBackend();
  });
  afterAll(() => store.dispose());
  const integrations = () => store.backend.integrations;

  it('finds an integration by the digest of its token, as it was', async () => {
    const [one, other] = [anIntegration(), anIntegration()];
    await integrations().insert(one);
    await integrations().insert(other);
    expect(await integrations().findByTokenDigest(one.tokenDigest)).toEqual(one);
    expect(await integrations().findByTokenDigest(other.tokenDigest)).toEqual(other);
  });

  it('finds none by an unknown digest', async () => {
    await integrations().insert(anIntegration());
    expect(await integrations().findByTokenDigest(digestOf(randomUUID()))).toBeNull();
    expect(await integrations().findByTokenDigest('')).toBeNull();
  });

  it.each(['', ...awkwardTexts])('keeps the name %j', async (name) => {
    const integration = anIntegration({ name });
    await integrations().insert(integration);
    expect(await integrations().findByTokenDigest(integration.tokenDigest)).toEqual(integration);
  });

  it.each([true, false])('keeps deduplicateByContent: %s', async (deduplicateByContent) => {
    const integration = anIntegration({ deduplicateByContent });
    await integrations().insert(integration);
    expect(await integrations().findByTokenDigest(integration.tokenDigest)).toEqual(integration);
  });

  it('keeps integrations across a reopen', async () => {
    const integration = anIntegration();
    await integrations().insert(integration);
    await store.reopen();
    expect(await integrations().findByTokenDigest(integration.tokenDigest)).toEqual(integration);
  });
});
