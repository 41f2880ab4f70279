import { UnavailableError } from '@widget-service/shared/domain/errors.ts';
import { unsealSecrets } from '@widget-service/shared/domain/sealed-secrets.ts';
import { sha256Hex } from '@widget-service/shared/domain/token.ts';
import type { Integration } from '@widget-service/shared/entities/grant.ts';
import type { Collection } from '@widget-service/shared/ports/collection.ts';
import { systemClock } from '@widget-service/shared/runtime/clock.ts';
import { ManageGrants, replaceSourceSecrets } from '@widget-service/shared/usecases/access/manage-grants.ts';
import { describe, expect, test } from 'vitest';
import { awkwardSource } from '../drivers/app/builders.ts';
import { openSharedBackend } from '../drivers/app/open-shared.ts';

const { backend } = await openSharedBackend();

/** Called before each call of a port: a change stops there until the other one has ended. */
type BeforeCall = () => Promise<void>;

/** The changes of one admin. `announces` says whether the control log answers. */
function openAdmin(beforeCall: BeforeCall, announces = true) {
  const [grants, control] = openStores(beforeCall, announces);
  const shared = { grants, control, kind: 'integration', clock: systemClock } as const;
  return new ManageGrants<Pick<Integration, 'deduplicateByContent' | 'rate' | 'source'>>(shared);
}

/** The stores and the control log, as `openAdmin` uses them. */
function openStores(beforeCall: BeforeCall, announces = true) {
  const { integrations } = backend;
  const grants = new Proxy(integrations, {
    get:
      (target, name: keyof Collection<Integration>) =>
      async (...args: never[]) => {
        await beforeCall();
        return (target[name] as (...values: never[]) => unknown).apply(target, args);
      },
  });
  const control = {
    announce: async () => {
      await beforeCall();
      if (!announces) throw new UnavailableError('the control log does not answer');
    },
  };
  return [grants, control] as const;
}

const base = { name: 'sender', deduplicateByContent: true, rate: null, source: awkwardSource, expiresAt: null };
const by = { createdBy: crypto.randomUUID(), isSigned: false };
const never: BeforeCall = async () => undefined;
const rotation = { overlapSeconds: 3_600, isSigned: null, sourceSecrets: ['of the rotation'] };

/** What an admin does to the integration with this id. Returns the tokens that it made. */
type Change = (id: string, beforeCall: BeforeCall) => Promise<string | null>;

const changes: Readonly<Record<string, Change>> = {
  rotate: async (id, before) => (await openAdmin(before).rotate(id, rotation))?.token ?? null,
  'rotate, without an announcement': async (id, before) => {
    await openAdmin(before, false)
      .rotate(id, rotation)
      .catch((error) => expect(error).toBeInstanceOf(UnavailableError));
    return null;
  },
  'rotate without an overlap': async (id, before) =>
    (await openAdmin(before).rotate(id, { ...rotation, overlapSeconds: 0 }))?.token ?? null,
  'end the previous token': async (id, before) => {
    await openAdmin(before).endPreviousToken(id);
    return null;
  },
  'replace the secrets': async (id, before) => {
    await replaceSourceSecrets(...openStores(before), id, ['replaced']);
    return null;
  },
  'change members': async (id, before) => {
    await openAdmin(before).change(id, { name: 'renamed', rate: 7 });
    return null;
  },
  revoke: async (id, before) => {
    await openAdmin(before).revoke(id);
    return null;
  },
};

/** Creates an integration with a previous token, and returns what reads its state. */
async function createIntegration() {
  const admin = openAdmin(never);
  const { grant, token: first } = await admin.issue(base, { ...by, sourceSecrets: ['original'] });
  const second = (await admin.rotate(grant.id, { ...rotation, sourceSecrets: ['original'] }))?.token ?? '';
  const names = new Map([
    [sha256Hex(first), { name: 'previous', token: first }],
    [sha256Hex(second), { name: 'current', token: second }],
  ]);
  return {
    id: grant.id,
    /** The members, which tokens are valid, and with which secrets. */
    readState: async (newTokens: readonly (string | null)[]) => {
      for (const token of newTokens) if (token !== null) names.set(sha256Hex(token), { name: 'new', token });
      const stored = await backend.integrations.get(grant.id);
      if (stored === null) return 'revoked';
      const { name, rate } = stored;
      const show = (token: { digest: string; sealedSecret: string | null } | null) => {
        if (token === null) return 'none';
        const known = names.get(token.digest);
        // Nobody got the token of a rotation that failed.
        if (known === undefined) return 'lost';
        return `${known.name}: ${unsealSecrets(token.sealedSecret ?? '', known.token)}`;
      };
      return JSON.stringify({ name, rate, token: show(stored.token), previous: show(stored.previousToken) });
    },
  };
}

async function runInOrder(...ordered: readonly Change[]): Promise<string> {
  const { id, readState } = await createIntegration();
  const tokens: (string | null)[] = [];
  for (const change of ordered) tokens.push(await change(id, never));
  return readState(tokens);
}

/** Runs `other` as a whole before call number `stopAt` of `change`. Null: `change` makes fewer calls. */
async function runBetween(change: Change, other: Change, stopAt: number): Promise<string | null> {
  const { id, readState } = await createIntegration();
  let calls = 0;
  let otherToken: string | null = null;
  const token = await change(id, async () => {
    calls += 1;
    if (calls === stopAt) otherToken = await other(id, never);
  });
  return calls < stopAt ? null : readState([token, otherToken]);
}

const pairs = Object.entries(changes).flatMap(([name, change]) =>
  Object.entries(changes).map(([otherName, other]) => ({ name, change, otherName, other })),
);

describe('two changes of one integration at the same moment end as one order of them does', () => {
  test.each(pairs)('$name, and meanwhile $otherName', async ({ name, change, otherName, other }) => {
    // A rotation without an announcement fails: it may be undone, or not.
    const mayBeKept = (title: string, of: Change): readonly Change[] =>
      title === 'rotate, without an announcement' ? [of, keptRotation] : [of];
    const orders: string[] = [];
    for (const one of mayBeKept(name, change)) {
      for (const two of mayBeKept(otherName, other)) {
        orders.push(await runInOrder(one, two), await runInOrder(two, one));
      }
    }
    for (let stopAt = 1; ; stopAt += 1) {
      const state = await runBetween(change, other, stopAt);
      if (state === null) break;
      expect(orders, `before call ${stopAt}`).toContain(state);
    }
  });
});

/** What a rotation leaves whose caller does not get the token. */
const keptRotation: Change = async (id, before) => {
  await openAdmin(before).rotate(id, rotation);
  return null;
};
