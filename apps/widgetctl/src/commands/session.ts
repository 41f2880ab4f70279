import type { CommandDefinition } from '../command.ts';
import { describeUser } from '../describe.ts';

const login: CommandDefinition = {
  name: 'login',
  summary: 'Sign in with e-mail and password, and keep the session for later commands.',
  options: {
    email: { value: 'EMAIL', text: 'Who signs in. Asked for if it is left out.' },
    'password-stdin': {
      text: 'Read the password from the standard input. Otherwise: WIDGETCTL_PASSWORD, or a question.',
    },
  },
  async run({ client, output, url, environment, ask, readInput }, input) {
    const email = input.text('email') ?? (await ask('E-mail: '));
    const readPassword = async () =>
      input.has('password-stdin')
        ? (await readInput()).replace(/\r?\n$/, '')
        : (environment.WIDGETCTL_PASSWORD ?? (await ask('Password: ', { isSecret: true })));
    const session = await client.signIn({ email, password: await readPassword() });
    output.result(session.user, (user) => `Signed in at ${url} as ${describeUser(user)}.`);
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
    output.facts({ user, permissions, expiresAt }, [
      ['Service', url],
      ['User', describeUser(user)],
      ['Permissions', permissions.join(', ')],
      ['Session ends', expiresAt],
    ]);
  },
};

export const sessionCommands = [login, logout, whoami];
