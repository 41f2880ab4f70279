import type { components } from '@widget-service/client/interface.ts';
import type { CommandDefinition } from '../command.ts';
import { passwordStep, UsageError } from '../failures.ts';

const login: CommandDefinition = {
  name: 'login',
  summary: 'Sign in with e-mail and password, and keep the session for later commands.',
  options: {
    email: { value: 'EMAIL', text: 'Who signs in. Asked for if it is left out.' },
    'password-stdin': {
      text: 'Read the password from the standard input. Default: WIDGETCTL_PASSWORD, or a question.',
    },
  },
  async run(context, input) {
    const { client, output, sessions, url } = context;
    if (!sessions.canKeep)
      throw new UsageError('There is no home directory. Set XDG_CONFIG_HOME to the path of a folder.');
    const email = input.value('email') ?? (await context.ask('E-mail: '));
    const password = input.has('password-stdin')
      ? await context.readInput()
      : ((await context.readSecret('WIDGETCTL_PASSWORD')) ?? (await context.ask('Password: ', { isSecret: true })));
    const session = await client.signIn({ email, password });
    if (!sessions.canKeep) throw new Error('So no later command could use it.');
    output.result(session.user, (user) => `Signed in at ${url} as ${describeUser(user)}.`);
    if (session.user.mustChangePassword) output.note(passwordStep);
  },
};

const password: CommandDefinition = {
  name: 'password',
  summary: 'Change your password. All your other sessions end.',
  async run(context) {
    const read = async (variable: 'WIDGETCTL_PASSWORD' | 'WIDGETCTL_NEW_PASSWORD', question: string) =>
      (await context.readSecret(variable)) ?? (await context.ask(question, { isSecret: true }));
    const currentPassword = await read('WIDGETCTL_PASSWORD', 'Current password: ');
    const newPassword = await read('WIDGETCTL_NEW_PASSWORD', 'New password: ');
    await context.client.api.PUT('/api/v1/session/password', { body: { currentPassword, newPassword } });
    context.output.note('Changed.');
  },
};

const logout: CommandDefinition = {
  name: 'logout',
  summary: 'End the session.',
  async run({ client, output }) {
    await client.signOut();
    output.note('Signed out.');
  },
};

const whoami: CommandDefinition = {
  name: 'whoami',
  summary: 'Show who is signed in, and what they may do.',
  async run({ client, output, url }) {
    const { user, permissions, expiresAt } = await client.getSession();
    if (user.mustChangePassword) output.note(passwordStep);
    output.facts({ user, permissions, expiresAt }, [
      ['Service', url],
      ['User', describeUser(user)],
      ['Permissions', permissions.join(', ')],
      ['Session ends', expiresAt],
    ]);
  },
};

/** `admin@example.com (admin)`. */
function describeUser({ email, role }: components['schemas']['User']): string {
  return `${email} (${role})`;
}

export const sessionCommands = [login, logout, whoami, password];
