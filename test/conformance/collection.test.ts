import { randomBytes, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { listEntityIndexes } from '@widget-service/cluster/mongo/indexes.ts';
import { MongoCollection } from '@widget-service/cluster/mongo/mongo-collection.ts';
import { databaseFileName, openDatabase } from '@widget-service/embedded/open-database.ts';
import { SqliteCollection } from '@widget-service/embedded/sqlite-collection.ts';
import type { OnWarning } from '@widget-service/shared/adapters/row-reader.ts';
import { UnavailableError, UnreadableRowError } from '@widget-service/shared/domain/errors.ts';
import { defineEntity, type EntityOf, jsonText, storedTime } from '@widget-service/shared/entities/define-entity.ts';
import { type Collection, insertNew, type Where } from '@widget-service/shared/ports/collection.ts';
import { MongoClient } from 'mongodb';
import { afterAll, describe, expect, inject, test } from 'vitest';
import { z } from 'zod';
import { aUser, awkwardTexts } from '../drivers/app/builders.ts';
import { openSharedBackend } from '../drivers/app/open-shared.ts';
import { requireServerUrl } from '../drivers/cluster/servers.ts';
import { makeSharedFolder } from '../drivers/tools/shared-folder.ts';

const { backend } = await openSharedBackend();

const thingEntity = defineEntity({
  name: 'things',
  key: 'id',
  namedBy: 'id',
  order: ['createdAt', 'id'],
  indexes: { owner: ['owner', '-createdAt'] },
  unique: { email: ['email'], part: ['part.digest', 'owner'] },
  unlisted: 'note',
  expires: 'expiresAt',
  members: z.object({
    id: z.string(),
    owner: z.string(),
    email: z.string().nullable(),
    count: z.int(),
    isOpen: z.boolean(),
    part: z.object({ digest: z.string(), until: storedTime.nullable() }).nullable(),
    note: z.string(),
    tags: z.array(z.string()),
    texts: jsonText(z.custom<Readonly<Record<string, string>>>((value) => typeof value === 'object')),
    createdAt: storedTime,
    expiresAt: storedTime.nullable(),
  }),
});
type Thing = EntityOf<typeof thingEntity>;

const start = new Date('2026-11-28T10:00:00.123Z');
const at = (seconds: number) => new Date(start.getTime() + seconds * 1_000);

function aThing(overrides: Partial<Thing> = {}): Thing {
  return {
    id: randomUUID(),
    owner: randomUUID(),
    email: null,
    count: 0,
    isOpen: true,
    part: { digest: randomUUID(), until: at(1) },
    note: '',
    tags: ['a', 'b'],
    texts: {},
    createdAt: start,
    expiresAt: null,
    ...overrides,
  };
}

const firstPage = { offset: 0, limit: 100 };

describe('Collection', async () => {
  const warnings: { message: string; details: object | undefined }[] = [];
  const open = inject('backend') === 'cluster' ? openInMongo : openInSqlite;
  const { things, damage } = await open((message, details) => warnings.push({ message, details }));
  const insertAll = async (...all: readonly Thing[]) => {
    for (const thing of all) expect(await things.insert(thing)).toBe(true);
  };

  test('returns what was inserted, with its times and with what is null', async () => {
    const all = [aThing(), aThing({ part: null }), aThing({ part: { digest: 'd', until: null }, expiresAt: at(9e6) })];
    all.push(aThing({ tags: [...awkwardTexts], texts: Object.fromEntries(awkwardTexts.map((text) => [text, text])) }));
    await insertAll(...all);
    for (const thing of all) expect(await things.get(thing.id)).toEqual(thing);
    expect(await things.get(randomUUID())).toBeNull();
  });

  test('lists an empty text for the member that lists leave out', async () => {
    const owner = randomUUID();
    const all = awkwardTexts.map((note) => aThing({ owner, note }));
    await insertAll(...all);
    for (const thing of all) expect(await things.get(thing.id)).toEqual(thing);
    const listed = await things.list({ owner }, { ...firstPage, limit: all.length });
    expect(new Set(listed)).toEqual(new Set(all.map((thing) => ({ ...thing, note: '' }))));
    expect(listed.length).toBeGreaterThan(0);
  });

  test('of many inserts of one key, or of one unique member, one succeeds', async () => {
    const [id, email] = [randomUUID(), randomUUID()];
    const sameKey = await Promise.all(Array.from({ length: 10 }, (_, count) => things.insert(aThing({ id, count }))));
    expect(sameKey.filter(Boolean)).toHaveLength(1);
    expect((await things.get(id))?.count).toBe(sameKey.indexOf(true));
    const sameEmail = await Promise.all(Array.from({ length: 10 }, () => things.insert(aThing({ email }))));
    expect(sameEmail.filter(Boolean)).toHaveLength(1);
    expect(await things.count({ email }, 100)).toBe(1);
  });

  test('an insert of something new fails if its key is taken', async () => {
    const thing = aThing();
    await insertNew(things, thing);
    await expect(insertNew(things, aThing({ id: thing.id }))).rejects.toThrow(UnavailableError);
    expect(await things.get(thing.id)).toEqual(thing);
  });

  test('lists in its order, in pages without holes or repeats, and counts', async () => {
    const owner = randomUUID();
    const all = Array.from({ length: 7 }, (_, n) => aThing({ owner, createdAt: at(n % 4) }));
    await insertAll(...all, aThing());
    const expected = all.toSorted((a, b) => Number(b.createdAt) - Number(a.createdAt) || (a.id < b.id ? 1 : -1));
    for (const offset of [0, 3, 6, 9]) {
      expect(await things.list({ owner }, { offset, limit: 3 })).toEqual(expected.slice(offset, offset + 3));
    }
    expect(await things.count({ owner }, 100)).toBe(7);
    expect(await things.count({ owner }, 5)).toBe(5);
  });

  test.each<[string, Where<Thing>, string]>([
    ['a text', { 'part.digest': 'p2' }, 'b'],
    ['a flag', { isOpen: false }, 'c'],
    ['a number above another', { count: { above: 1 } }, 'bc'],
    ['a number from another on', { count: { atLeast: 1 } }, 'abc'],
    ['a number in between', { count: { atLeast: 1, below: 3 } }, 'ab'],
    ['a time before another', { createdAt: { below: at(2) } }, 'a'],
    ['a time after another', { createdAt: { above: at(2) } }, 'c'],
    ['a time of a member, unless it is null', { 'part.until': { below: at(5) } }, 'a'],
    ['null', { part: null }, 'c'],
    ['another text', { 'part.digest': { not: 'p1' } }, 'bc'],
    ['one of several', { 'part.digest': { oneOf: ['p1', 'p2', 'p3'] } }, 'ab'],
    ['none', { 'part.digest': { oneOf: [] } }, ''],
    ['a part of a text in any case', { email: { contains: 'LAMP.*' } }, 'a'],
    ['a part of a text, other letters exactly', { email: { contains: 'é' } }, 'b'],
    ['nothing that is undefined', { email: undefined, createdAt: { below: undefined }, count: 1 }, 'a'],
  ])('selects %s', async (_, where, expected) => {
    const owner = randomUUID();
    await insertAll(
      aThing({
        owner,
        tags: ['a'],
        count: 1,
        part: { digest: 'p1', until: at(1) },
        email: `${owner} lamp.*`,
        createdAt: at(1),
      }),
      aThing({
        owner,
        tags: ['b'],
        count: 2,
        part: { digest: 'p2', until: null },
        email: `${owner} é lampx`,
        createdAt: at(2),
      }),
      aThing({ owner, tags: ['c'], count: 3, part: null, isOpen: false, email: `${owner} É`, createdAt: at(3) }),
    );
    const selected = await things.list({ ...where, owner }, firstPage);
    expect(
      selected
        .flatMap((thing) => thing?.tags ?? [])
        .toSorted()
        .join(''),
    ).toBe(expected);
    expect(await things.count({ ...where, owner }, 100)).toBe(expected.length);
    expect((await things.find({ ...where, owner }))?.owner ?? '').toBe(expected === '' ? '' : owner);
  });

  test('finds by one of several alternatives', async () => {
    const [one, other] = [aThing({ count: 5 }), aThing({ count: 6 })];
    await insertAll(one, other);
    expect(await things.find({ owner: one.owner, count: 6 }, { owner: other.owner, count: 6 })).toEqual(other);
    expect(await things.find({ owner: one.owner, count: 6 }, { owner: other.owner, count: 5 })).toBeNull();
  });

  test('changes the members that are returned, and no other', async () => {
    const thing = aThing();
    await insertAll(thing);
    const changed = { ...thing, count: 4, part: { digest: 'new', until: at(4) }, expiresAt: at(9e6) };
    const decide = ({ count }: Thing) => ({ count: count + 4, part: changed.part, expiresAt: changed.expiresAt });
    expect(await things.change(thing.id, decide)).toEqual(changed);
    expect(await things.get(thing.id)).toEqual(changed);
  });

  test('changes nothing if there is no such entity, if nothing is decided, or if a unique member is taken', async () => {
    const [thing, other] = [aThing({ email: randomUUID() }), aThing({ email: randomUUID() })];
    await insertAll(thing, other);
    expect(await things.change(randomUUID(), () => ({ count: 1 }))).toBeNull();
    expect(await things.change(thing.id, () => null)).toBeNull();
    expect(await things.change(thing.id, () => ({ count: 1, email: other.email }))).toBeNull();
    expect(await things.get(thing.id)).toEqual(thing);
  });

  test('loses none of many changes at the same time', async () => {
    const thing = aThing();
    await insertAll(thing);
    await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        things.change(thing.id, ({ count, tags }) => ({ count: count + 1, tags: [...tags, `${n}`] })),
      ),
    );
    const changed = await things.get(thing.id);
    expect(changed?.count).toBe(20);
    expect(new Set(changed?.tags).size).toBe(22);
  });

  type Step = 'insert' | 'change' | 'other change' | 'remove';
  const steps: readonly Step[] = ['insert', 'change', 'other change', 'remove'];
  const pairs = steps.flatMap((first, index) => steps.slice(index).map((second) => [first, second] as const));

  /** What the entity is after a step, and what the step returns. `before` null: there is none. */
  const applied = (before: number | null, step: Step): [now: number | null, returned: unknown] => {
    if (step === 'insert') return [before ?? 1, before === null];
    if (step === 'remove') return [null, before !== null];
    const now = before === null ? null : step === 'change' ? before * 10 : before + 3;
    return [now, now];
  };

  test.each(pairs)('%s beside %s ends as one of the two orders does', async (first, second) => {
    const run = async (id: string, step: Step): Promise<unknown> => {
      if (step === 'insert') return things.insert(aThing({ id, count: 1 }));
      if (step === 'remove') return things.remove(id);
      const decide = ({ count }: Thing) => ({ count: step === 'change' ? count * 10 : count + 3 });
      return (await things.change(id, decide))?.count ?? null;
    };
    const race = async (exists: boolean) => {
      const id = randomUUID();
      if (exists) await insertAll(aThing({ id, count: 2 }));
      const returned = await Promise.all([run(id, first), run(id, second)]);
      const before = exists ? 2 : null;
      const [afterFirst, afterSecond] = [applied(before, first), applied(before, second)];
      const [firstThenSecond, secondThenFirst] = [applied(afterFirst[0], second), applied(afterSecond[0], first)];
      expect([
        { count: firstThenSecond[0], returned: [afterFirst[1], firstThenSecond[1]] },
        { count: secondThenFirst[0], returned: [secondThenFirst[1], afterSecond[1]] },
      ]).toContainEqual({ count: (await things.get(id))?.count ?? null, returned });
    };
    await Promise.all(Array.from({ length: 20 }, (_, n) => race(n % 4 !== 0)));
  });

  test('removes one, or all that match', async () => {
    const owner = randomUUID();
    const [one, two, three] = [aThing({ owner }), aThing({ owner }), aThing({ owner })];
    await insertAll(one, two, three);
    expect(await things.remove(one.id)).toBe(true);
    expect(await things.remove(one.id)).toBe(false);
    await things.removeAll({ owner, id: { not: three.id } });
    expect(await things.list({ owner }, firstPage)).toEqual([three]);
  });

  test('names a damaged entity, and leaves its place in a list empty', async () => {
    const owner = randomUUID();
    const [damaged, good] = [aThing({ owner, createdAt: at(2) }), aThing({ owner })];
    await insertAll(damaged, good);
    await damage(damaged.id, 'part.until', 'soon');
    expect(await things.list({ owner }, firstPage)).toEqual([null, good]);
    await expect(things.get(damaged.id)).rejects.toThrow(UnreadableRowError);
    const details = { of: 'things', id: damaged.id, member: 'part.until' };
    expect(warnings.filter((warning) => JSON.stringify(warning).includes(damaged.id))).toEqual([
      { message: 'store.row_unreadable', details },
    ]);
  });
});

test('of users with one e-mail or identity at the same moment, one is stored, and no insert fails', async () => {
  for (let round = 0; round < 30; round += 1) {
    const email = `${randomUUID()}@example.com`;
    const identity = { issuer: 'https://id.example', subject: randomUUID() };
    const racing = Array.from({ length: round % 2 === 0 ? 2 : 10 }, () => aUser({ email, identity }));
    const inserted = await Promise.all(racing.map((user) => backend.users.insert(user)));
    expect(inserted.filter(Boolean)).toHaveLength(1);
    expect(await backend.users.find({ email })).toEqual(racing[inserted.indexOf(true)]);
    expect(await backend.users.insert(aUser({ identity }))).toBe(false);
  }
});

interface Opened {
  readonly things: Collection<Thing>;
  /** Sets a member of a stored thing to a value that the collection would never write. */
  readonly damage: (key: string, member: string, value: string | number) => Promise<void>;
}

async function openInMongo(onWarning: OnWarning): Promise<Opened> {
  const client = await MongoClient.connect(requireServerUrl('MONGODB_URL'), { ignoreUndefined: true });
  const db = client.db(`t-${randomBytes(8).toString('hex')}`);
  const documents = db.collection<{ _id: string }>(thingEntity.name);
  await documents.createIndexes(listEntityIndexes(thingEntity).map((spec) => ({ ...spec, key: { ...spec.key } })));
  afterAll(async () => {
    await db.dropDatabase();
    await client.close();
  });
  return {
    things: new MongoCollection(db, thingEntity, onWarning),
    damage: async (key, member, value) => {
      await documents.updateOne({ _id: key }, { $set: { [member]: value } });
    },
  };
}

async function openInSqlite(onWarning: OnWarning): Promise<Opened> {
  const folder = await makeSharedFolder();
  const db = openDatabase(folder);
  afterAll(() => db.close());
  return {
    things: new SqliteCollection(db, thingEntity, onWarning),
    damage: async (key, member, value) => {
      const other = new DatabaseSync(join(folder, databaseFileName));
      const damage = `UPDATE "${thingEntity.name}" SET body = json_set(body, ?, ?) WHERE key = ?`;
      other.prepare(damage).run(`$.${member}`, value, key);
      other.close();
    },
  };
}
