export const permissions = [
  'widgets:read',
  'widgets:create',
  'subscriptions:manage',
  'integrations:manage',
  'tokens:manage',
  'users:manage',
  'audit:read',
] as const;
export type Permission = (typeof permissions)[number];

export const roles = ['viewer', 'editor', 'admin'] as const;
export type Role = (typeof roles)[number];

const permissionsByRole: Record<Role, readonly Permission[]> = {
  viewer: ['widgets:read'],
  editor: ['widgets:read', 'widgets:create'],
  admin: permissions,
};

/** Returns what a role may do. The api checks it on every request, so a changed role takes effect at once. */
export function permissionsForRole(role: Role): readonly Permission[] {
  return permissionsByRole[role];
}
