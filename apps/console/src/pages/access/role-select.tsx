import type { Schemas } from '../../service/service.ts';
import { texts } from '../../texts/texts.ts';

type Role = Schemas['User']['role'];
const roles = ['viewer', 'editor', 'admin'] as const;

interface RoleSelectProperties {
  readonly id?: string;
  /** The accessible name, if no label names it. */
  readonly label?: string;
  readonly role: Role;
  readonly disabled?: boolean;
  readonly onChange: (role: Role) => void;
}

export function RoleSelect({ id, label, role, disabled = false, onChange }: RoleSelectProperties) {
  return (
    <select
      id={id}
      class="input input-short"
      aria-label={label}
      value={role}
      disabled={disabled}
      onChange={({ currentTarget }) => onChange(roles.find((name) => name === currentTarget.value) ?? role)}
    >
      {roles.map((name) => (
        <option key={name} value={name}>
          {texts.access.roles[name]}
        </option>
      ))}
    </select>
  );
}
