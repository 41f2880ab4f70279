import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { ChangeGrantDialog } from '../../grants/change-grant-dialog.tsx';
import { api, type Schemas } from '../../service/service.ts';
import { fromIntegration, IntegrationFields, toIntegration } from './integration-fields.tsx';

interface ChangeIntegrationProperties {
  readonly integration: Schemas['Integration'];
  readonly onChanged: () => void;
  readonly onClose: () => void;
}

/** Changes what is not bound to the secret. Only a rotation changes the way of signing. */
export function ChangeIntegration({ integration, onChanged, onClose }: ChangeIntegrationProperties) {
  const { current: before } = useRef(fromIntegration(integration));
  const values = useSignal(before);
  return (
    <ChangeGrantDialog
      grant={integration}
      onChange={(changes) =>
        api.PATCH('/api/v1/integrations/{id}', {
          params: { path: { id: integration.id } },
          body: { ...changes, ...(values.value === before ? {} : toIntegration(values.value)) },
        })
      }
      onChanged={onChanged}
      onClose={onClose}
    >
      <IntegrationFields values={values} />
    </ChangeGrantDialog>
  );
}
