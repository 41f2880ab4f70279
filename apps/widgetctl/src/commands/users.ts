import type { components } from '@widget-service/client/interface.ts';
import type { CommandDefinition } from '../command.ts';
import { readNewestFirst, takeFirst } from '../lists.ts';
import type { Column } from '../output.ts';

type User = components['schemas']['User'];

const columns: readonly Column<User>[] = [
  { title: 'ID', text: ({ id }) => id },
  { title: 'EMAIL', text: ({ email }) => email, style: () => 'bold' },
  { title: 'ROLE', text: ({ role }) => role },
  { title: 'STATE', text: toState },
  { title: 'CREATED', text: ({ createdAt }) => createdAt },
];
/** The password that an admin has set ends, unless the user changes it. */
function toState({ disabled, passwordExpiresAt: end }: User): string {
  if (disabled) return 'disabled';
  if (end === undefined) return 'enabled';
  return Date.parse(end) > Date.now() ? `invited until ${end}` : `invitation ended ${end}`;
}

const roles = ['viewer', 'editor', 'admin'] as const;

const list: CommandDefinition = {
  name: 'users list',
  summary: 'List users.',
  async run({ client, output }) {
    const users = readNewestFirst<User>({
      readPage: (page, before) => {
        const query = { page, pageSize: 100, ...(before === undefined ? {} : { createdBefore: before }) };
        return client.api.GET('/api/v1/users', { params: { query } });
      },
      getId: ({ id }) => id,
      getTime: ({ createdAt }) => createdAt,
    });
    output.table(await takeFirst(users, Number.POSITIVE_INFINITY), columns);
  },
};

const create: CommandDefinition = {
  name: 'users create',
  parameters: ['EMAIL'],
  summary: 'Create a user, who must change the password first. It is WIDGETCTL_NEW_PASSWORD, or asked for.',
  options: { role: { value: 'ROLE', choices: roles, text: 'Default: viewer.' } },
  async run(context, input) {
    const [email = ''] = input.parameters;
    const role = roles.find((name) => name === input.value('role')) ?? 'viewer';
    const password =
      (await context.readSecret('WIDGETCTL_NEW_PASSWORD')) ?? (await context.ask('Password: ', { isSecret: true }));
    const user = await context.client.api.POST('/api/v1/users', { body: { email, role, password } });
    context.output.result(user, ({ id }) => `Created ${email} (${role}), id ${id}.`);
  },
};

const disable: CommandDefinition = {
  name: 'users disable',
  parameters: ['ID'],
  summary: 'Disable a user: all sessions and streams of the user end.',
  async run({ client, output }, input) {
    const [id = ''] = input.parameters;
    await client.api.PATCH('/api/v1/users/{id}', { params: { path: { id } }, body: { disabled: true } });
    output.note('Disabled.');
  },
};

export const userCommands = [list, create, disable];
