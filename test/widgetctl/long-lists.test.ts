import { expect, test } from 'vitest';
import { aCreation, aDelivery } from '../drivers/app/builders.ts';
import { testAdmin } from '../drivers/app/console-client.ts';
import { issueIntegration, issueProvisionToken } from '../drivers/app/issue-grants.ts';
import { openSharedService } from '../drivers/app/open-shared.ts';
import { makeSharedFolder } from '../drivers/tools/shared-folder.ts';
import { Widgetctl } from '../drivers/tools/widgetctl.ts';

/** More than the service shows of one list. */
const size = 10_450;
const startedAtMs = Date.now();

interface ListedDelivery {
  readonly receivedAt: string;
  readonly eventId: string;
}

const toLine = ({ receivedAt, eventId }: ListedDelivery) => `${receivedAt} ${eventId}`;

const service = await openSharedService({ ADMIN_EMAIL: testAdmin.email, ADMIN_PASSWORD: testAdmin.password });
const folder = await makeSharedFolder();
const widgetctl = new Widgetctl({ folder, url: service.url });
await widgetctl.run(['login', '--email', testAdmin.email, '--password-stdin'], {}, `${testAdmin.password}\n`);

test('lists of deliveries are read to their end, however long, each delivery once', async () => {
  const { grant } = await issueIntegration(service.backend);
  const { widget, ...creation } = aCreation();
  await service.backend.widgets.insertOnce({ widget, ...creation });
  // Some pages of deliveries were received within one millisecond.
  const deliveries = [...new Array(size).keys()].map((index) =>
    aDelivery({
      integrationId: grant.id,
      widgetId: widget.id,
      receivedAt: new Date(startedAtMs + (index < 350 ? 0 : index)),
    }),
  );
  for (let start = 0; start < size; start += 1_000) {
    await service.backend.ledger.register(deliveries.slice(start, start + 1_000));
  }
  const newestFirst = deliveries
    .map(({ receivedAt, eventId }) => toLine({ receivedAt: receivedAt.toISOString(), eventId }))
    .sort()
    .reverse();
  for (const list of [
    ['deliveries', 'list', grant.id],
    ['widgets', 'history', widget.id],
  ]) {
    const listed = await widgetctl.read<ListedDelivery>(...list, '--limit', '20000');
    expect(listed.map(toLine)).toEqual(newestFirst);
  }
  const before = new Date(startedAtMs + 400).toISOString();
  const args = ['deliveries', 'list', grant.id, '--to', before, '--limit', '20000'];
  const older = await widgetctl.read<ListedDelivery>(...args);
  expect(older.map(toLine)).toEqual(newestFirst.slice(-400));
  expect(await widgetctl.read('deliveries', 'list', grant.id, '--limit', '101')).toHaveLength(101);
});

test('a list of grants is read to its end, however long', async () => {
  const ids: string[] = [];
  while (ids.length <= 10_000) {
    const tokens = await Promise.all([...new Array(150)].map(() => issueProvisionToken(service.backend)));
    ids.push(...tokens.map(({ grant }) => grant.id));
  }
  const listed = await widgetctl.read<{ id: string }>('tokens', 'list');
  expect(listed.map(({ id }) => id).sort()).toEqual(ids.sort());
});
