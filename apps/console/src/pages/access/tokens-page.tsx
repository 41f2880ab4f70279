import { useRef } from 'preact/hooks';
import type { GrantKind, IssuedGrant } from '../../grants/describe-grant.ts';
import { GrantsPage } from '../../grants/grants.tsx';
import { OldSecretNote } from '../../grants/secrets.tsx';
import { Button, CopyButton } from '../../parts/button.tsx';
import { Dialog, showDialog } from '../../parts/dialog.tsx';
import { CodeTabs } from '../../parts/facts.tsx';
import { serviceRoot } from '../../service/service.ts';

const tokenGrants: GrantKind = {
  path: '/api/v1/provision-tokens',
  listPage: '/access/tokens',
  hasPages: false,
  title: 'Provision tokens',
  intro: 'A provision token lets a script create widgets without signing in.',
  emptyText: 'Create one provision token for each script.',
  createLabel: 'Create provision token',
  onIssued: (issued) => showDialog((close) => <TokenDialog issued={issued} onClose={close} />),
};

/** All provision tokens. */
export function TokensPage() {
  return <GrantsPage kind={tokenGrants} />;
}

/** Shows a token once. It is nowhere but in this dialog, which only its button closes. */
function TokenDialog({ issued, onClose }: { readonly issued: IssuedGrant; readonly onClose: () => void }) {
  const { name, token } = issued;
  const isCopied = useRef(false);
  return (
    <Dialog title={`Save the secret of ${name}`} onClose={onClose} isCopied={isCopied}>
      <p class="notice notice-warning">Copy it now. The service keeps only a hash, and cannot show it again.</p>
      <div class="field">
        <strong>Secret token</strong>
        <span class="with-button">
          <code class="secret selectable">{token}</code>
          <CopyButton text={token} onCopied={() => (isCopied.current = true)} />
        </span>
      </div>
      <OldSecretNote issued={issued} />
      <h3 class="code-title">Sample code</h3>
      <CodeTabs label="Sample code" codes={writeSamples(serviceRoot.href)} copyLabel="Copy code" />
      <div class="dialog-actions">
        <Button kind="primary" onClick={onClose}>
          I've saved it
        </Button>
      </div>
    </Dialog>
  );
}

// No sample holds a secret: it would be in the history of the shell, in a file of a program, or among the arguments of
// a process, which other users of the machine see. The shell asks for it, and programs read it from the environment.
const ask = (variable: string) => `printf '${variable}: '; read -rs ${variable} && `;

/** Programs that create a widget with a provision token, by the name of their language. */
function writeSamples(serviceUrl: string): Readonly<Record<string, string>> {
  return {
    curl: `${ask('TOKEN')}printf 'header = "authorization: Bearer %s"' "$TOKEN" | curl -K - -H 'content-type: application/json' -d '{"name":"bulb"}' ${serviceUrl}api/v1/widgets`,
    JavaScript: `import { createClient } from '@widget-service/client';

const client = createClient({ baseUrl: '${serviceUrl}', provisionToken: process.env.TOKEN });
await client.createWidget({ name: 'bulb' });`,
    widgetctl: `${ask('TOKEN')}WIDGETCTL_URL=${serviceUrl} WIDGETCTL_TOKEN=$TOKEN widgetctl widgets create bulb`,
  };
}
