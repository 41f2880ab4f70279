/** Code to paste, by the name of the language. */
export type Snippets = Readonly<Record<string, string>>;

// No snippet holds a secret: it would be in the history of the shell, in a file of a program, or among the arguments of
// a process, which other users of the machine see. The shell asks for it, and programs read it from the environment.
const ask = (variable: string) => `printf '${variable}: '; read -rs ${variable} && `;

/** Programs that create a widget with a provision token, which is a secret. */
export function writeTokenSnippets(serviceUrl: string): Snippets {
  return {
    curl: `${ask('TOKEN')}printf 'header = "authorization: Bearer %s"' "$TOKEN" | curl -K - -H 'content-type: application/json' -d '{"name":"bulb"}' ${serviceUrl}api/v1/widgets`,
    JavaScript: `import { createClient } from '@widget-service/client';

const client = createClient({ baseUrl: '${serviceUrl}', provisionToken: process.env.TOKEN });
await client.createWidget({ name: 'bulb' });`,
    widgetctl: `${ask('TOKEN')}WIDGETCTL_URL=${serviceUrl} WIDGETCTL_TOKEN=$TOKEN widgetctl widgets create bulb`,
  };
}
