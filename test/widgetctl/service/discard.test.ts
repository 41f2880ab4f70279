import { describe, expect, test } from 'vitest';
import { aDelivery, aQuarantinedText } from '../../drivers/app/builders.ts';
import { testAdmin } from '../../drivers/app/console-client.ts';
import { issueIntegration } from '../../drivers/app/issue-grants.ts';
import { openSharedService } from '../../drivers/app/open-shared.ts';
import { makeSharedFolder } from '../../drivers/tools/shared-folder.ts';
import { Widgetctl } from '../../drivers/tools/widgetctl.ts';

const service = await openSharedService({ ADMIN_EMAIL: testAdmin.email, ADMIN_PASSWORD: testAdmin.password });
const folder = await makeSharedFolder();
const widgetctl = new Widgetctl({ folder, url: service.url });
await widgetctl.run(['login', '--email', testAdmin.email, '--password-stdin'], {}, `${testAdmin.password}\n`);

describe('deliveries discard', () => {
  test('erases dead deliveries by name or all at once, and refuses one that is not dead', async () => {
    const { grant } = await issueIntegration(service.backend);
    const { id } = grant;
    const deliveries = [1, 2, 3].map(() => aDelivery({ integrationId: id, payload: '{"patient":"Ada"}' }));
    for (const delivery of deliveries) await service.backend.ledger.markDead(delivery, 'store-refused');
    const first = deliveries[0]?.eventId ?? '';
    expect((await widgetctl.run(['deliveries', 'discard', id])).code).toBe(2);
    expect(await widgetctl.run(['deliveries', 'discard', id, first])).toMatchObject({
      code: 0,
      results: `${first}: discarded\n`,
      notes: '1 accepted, 0 refused.\n',
    });
    expect(await widgetctl.run(['deliveries', 'discard', id, '--all-dead'])).toMatchObject({
      code: 0,
      notes: '2 accepted, 0 refused.\n',
    });
    expect(await widgetctl.read('deliveries', 'list', id, '--state', 'discarded')).toHaveLength(3);
    expect(await service.backend.ledger.get(first)).toMatchObject({ state: 'discarded', payload: null });

    const received = aDelivery({ integrationId: id });
    await service.backend.ledger.register([received]);
    const refused = await widgetctl.run(['deliveries', 'discard', id, received.eventId]);
    expect(refused.code).toBe(1);
    expect(refused.results).toMatch(/delivery-not-dead/);
  });
});

describe('the quarantine', () => {
  test('is listed, shown as a JSON string, and discarded from', async () => {
    const text = aQuarantinedText({ text: 'half a job\u001b[2J\nand a line' });
    await service.backend.quarantine.insert(text);
    const listed = await widgetctl.run(['quarantine', 'list']);
    expect(listed.results).toMatch(new RegExp(`^ID .*\\n${text.id} +2026-03-01T\\S+ +unreadable`));
    const shown = await widgetctl.run(['quarantine', 'get', text.id]);
    expect(shown.results).toContain('"half a job\\u001b[2J\\nand a line"');
    const unknown = '0197a0b0-0000-7000-8000-00000000abcd';
    const { code, results, notes } = await widgetctl.run(['quarantine', 'discard', text.id, unknown]);
    expect(code).toBe(1);
    expect(results).toMatch(new RegExp(`^${text.id}: discarded\n${unknown}: .*not-found`));
    expect(notes).toContain('1 accepted, 1 refused.');
    expect(await service.backend.quarantine.get(text.id)).toBeNull();
  });
});
