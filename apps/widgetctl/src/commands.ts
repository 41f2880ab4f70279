import type { components } from '@widget-service/client/interface.ts';
import manifest from '../package.json' with { type: 'json' };
import { type Command, formatHelp, makeCommand, parseCommandLine, printCompletion } from './command-line.ts';
import { Context } from './context.ts';
import { deliveryCommands, quarantineCommands } from './deliveries.ts';
import { chooseExitCode, describeFailure, exitCodes, passwordStep, UsageError } from './failures.ts';
import { readText } from './files.ts';
import { grantCommands, sampleCommands, sourceCommands } from './grants.ts';
import { hookCommands } from './hooks.ts';
import { makeCall, makeList } from './operations.ts';
import { Output } from './output.ts';
import { tail } from './tail.ts';
import type { Io } from './terminal.ts';

type Schemas = components['schemas'];
type Delivery = Schemas['Delivery'];
type Widget = Schemas['Widget'];

const describeUser = ({ email, role }: Schemas['User']) => `${email} (${role})`;

const sessionCommands: readonly Command[] = [
  makeCommand(
    'login',
    'Sign in with e-mail and password, and keep the session for later commands.',
    {
      'email EMAIL': 'Who signs in. Asked for if it is left out.',
      'password-stdin': 'Read the password from the standard input. Default: WIDGETCTL_PASSWORD, or a question.',
    },
    async (context, input) => {
      const { output, sessions, url } = context;
      if (!sessions.canKeep)
        throw new UsageError('There is no home directory. Set XDG_CONFIG_HOME to the path of a folder.');
      const email = input.value('email') ?? (await context.ask('E-mail: '));
      const password = input.has('password-stdin')
        ? await readText(context.open('-'))
        : await context.readPassword('WIDGETCTL_PASSWORD', 'Password: ');
      const { user } = await context.openClient().signIn({ email, password });
      if (!sessions.canKeep) throw new Error('So no later command could use it.');
      output.result(user, `Signed in at ${url} as ${describeUser(user)}.`);
      if (user.mustChangePassword) output.note(passwordStep);
    },
  ),
  makeCall('logout', 'End the session.', 'DELETE /api/v1/session', { note: 'Signed out.' }),
  makeCommand('whoami', 'Show who is signed in, and what they may do.', {}, async (context) => {
    const { output, url } = context;
    const { user, permissions, expiresAt } = await context.openClient().getSession();
    if (user.mustChangePassword) output.note(passwordStep);
    output.facts({ user, permissions, expiresAt }, [
      { title: 'Service', text: () => url },
      { title: 'User', text: () => describeUser(user) },
      'permissions',
      { title: 'Session ends', text: () => expiresAt },
    ]);
  }),
  makeCall('password', 'Change your password. All your other sessions end.', 'PUT /api/v1/session/password', {
    body: async (context) => ({
      currentPassword: await context.readPassword('WIDGETCTL_PASSWORD', 'Current password: '),
      newPassword: await context.readPassword('WIDGETCTL_NEW_PASSWORD', 'New password: '),
    }),
    note: 'Changed.',
  }),
];

const widgetCommands: readonly Command[] = [
  makeCommand(
    'widgets list',
    'List widgets, newest first.',
    {
      'state STATE': { choices: ['active', 'retired'], text: 'Only widgets in this state.' },
      'limit N': { min: 1, text: 'At most so many. Default: 50.' },
      all: 'All of them.',
    },
    async (context, input) => {
      const state = input.value('state') as Widget['state'] | undefined;
      const limit = input.has('all') ? Number.POSITIVE_INFINITY : (input.number('limit') ?? 50);
      const options = { pageSize: Math.min(limit + 1, 200), ...(state && { state }) };
      const found: Widget[] = [];
      for await (const widget of context.openClient().listWidgets(options)) {
        if (found.push(widget) > limit) break;
      }
      context.output.table(found.slice(0, limit), ['id', 'state', 'version', 'createdAt', 'name', 'labels']);
      if (found.length > limit) context.output.note(`There are more than ${limit}: use --limit or --all.`);
    },
  ),
  makeCommand(
    'widgets create NAME',
    'Create a widget. With a provision token in WIDGETCTL_TOKEN, no session is needed.',
    {
      'label LABEL': { isRepeated: true, text: 'A label of the widget.' },
      'idempotency-key KEY':
        'Create at most one widget with this key, however often the command runs. Default: a new key.',
    },
    async (context, input) => {
      const [name = ''] = input.parameters;
      const idempotencyKey = input.value('idempotency-key');
      const client = context.openClient(await context.readSecret('WIDGETCTL_TOKEN'));
      const options = idempotencyKey === undefined ? {} : { idempotencyKey };
      const widget = await client.createWidget({ name, labels: [...input.values('label')] }, options);
      context.output.result(widget, `${widget.id}  ${widget.name} (${widget.state}, version ${widget.version})`);
    },
  ),
  makeCall<Widget>('widgets get ID', 'Show one widget.', 'GET /api/v1/widgets/{id}', {
    facts: ({ owner }) => [
      ...(['id', 'name', 'state', 'version', 'labels'] as const),
      { title: 'Owner', text: () => owner?.email ?? 'none' },
      ...(['createdAt', 'updatedAt', 'lastEventAt', 'retiredAt'] as const),
    ],
  }),
  makeList<Delivery>(
    'widgets history ID',
    'List the hooks that name a widget, and what each changed, newest first.',
    'GET /api/v1/widgets/{id}/deliveries',
    {
      paging: 'to',
      hasLimit: true,
      columns: [
        { title: 'Version', text: ({ effect }) => String(effect?.version ?? '') },
        'kind',
        { title: 'State after', text: ({ effect }) => effect?.state ?? '' },
        { title: 'Late', text: ({ effect }) => (effect?.late ? 'late' : '') },
        'occurredAt',
        { title: 'Delivery', text: ({ state }) => state },
        ...(['integrationId', 'eventId'] as const),
      ],
    },
  ),
];

const userCommands: readonly Command[] = [
  makeList<Schemas['User']>('users list', 'List users.', 'GET /api/v1/users', {
    paging: 'createdBefore',
    columns: ['id', 'email', 'role', { title: 'State', text: describeState }, 'createdAt'],
  }),
  makeCall<Schemas['User']>(
    'users create EMAIL',
    'Create a user, who must change the password first. It is WIDGETCTL_NEW_PASSWORD, or asked for.',
    'POST /api/v1/users',
    {
      options: { 'role ROLE': { choices: ['viewer', 'editor', 'admin'], text: 'Default: viewer.' } },
      body: async (context, { parameters: [email], value }) => ({
        email,
        role: value('role') ?? 'viewer',
        password: await context.readPassword('WIDGETCTL_NEW_PASSWORD', 'Password: '),
      }),
      line: (user) => `Created ${describeUser(user)}, id ${user.id}.`,
    },
  ),
  makeCall(
    'users disable ID',
    'Disable a user: all sessions and streams of the user end.',
    'PATCH /api/v1/users/{id}',
    { body: () => ({ disabled: true }), note: 'Disabled.' },
  ),
];

/** The password that an admin has set ends, unless the user changes it. */
function describeState({ disabled, passwordExpiresAt: end }: Schemas['User']): string {
  if (disabled) return 'disabled';
  if (end === undefined) return 'enabled';
  return Date.parse(end) > Date.now() ? `invited until ${end}` : `invitation ended ${end}`;
}

/** Every command, in the order of the help. */
export const commands: readonly Command[] = [
  ...sessionCommands,
  ...widgetCommands,
  tail,
  ...hookCommands,
  ...deliveryCommands,
  ...quarantineCommands,
  ...grantCommands,
  ...sourceCommands,
  ...sampleCommands,
  ...userCommands,
  makeCommand(
    'completion SHELL WORD…?',
    'Print a script that completes commands in bash, zsh or fish; or the words that may follow.',
    {},
    ({ output }, { parameters }) => printCompletion(output, parameters, commands),
  ),
];

/** Runs one command. Resolves with the exit code, and never rejects. */
export async function runCommandLine(args: readonly string[], io: Io): Promise<number> {
  const { environment, stdout } = io;
  let output = new Output(io);
  try {
    const { command, input } = parseCommandLine(args, commands);
    if (input.has('version')) {
      output.line(manifest.version);
    } else if (command === undefined || input.has('help')) {
      for (const line of formatHelp(commands, command)) output.line(line);
    } else {
      // See no-color.org: any value of NO_COLOR but an empty one.
      const allowsColors = stdout.isTTY === true && !environment.NO_COLOR && environment.TERM !== 'dumb';
      output = new Output(io, { isJson: input.has('json'), hasColors: allowsColors && !input.has('no-color') });
      await command.run(new Context(io, input.value('url'), output), input);
    }
    return exitCodes.done;
  } catch (error) {
    for (const line of describeFailure(error)) output.note(line);
    return chooseExitCode(error);
  }
}
