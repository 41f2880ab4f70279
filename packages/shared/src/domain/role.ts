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

/** The role that each value of the claim stands for. */
export type RoleMapping = ReadonlyMap<string, Role>;

/**
 * Returns the role that the claims of a user give, or null if no value is in the mapping. Of several roles it is the
 * one with the most permissions. The claim is a text or an array of texts; anything else gives no role.
 *
 * `path` is the name of the claim, or names of nested members with dots between them. Example: with the claims
 * `{ "realm_access": { "roles": ["staff"] } }` the path `realm_access.roles` finds `["staff"]`. A claim with exactly
 * this name comes first, because the names of some providers' claims contain dots: `https://example.com/roles`.
 */
export function readRole(claims: Readonly<Record<string, unknown>>, path: string, mapping: RoleMapping): Role | null {
  const given = [readClaim(claims, path)].flat().map((value) => mapping.get(value as string));
  return roles.findLast((role) => given.includes(role)) ?? null;
}

/** Returns the claim at a path as `readRole` finds it, or undefined. */
export function readClaim(claims: Readonly<Record<string, unknown>>, path: string): unknown {
  if (Object.hasOwn(claims, path)) return claims[path];
  return path.split('.').reduce<unknown>((value, name) => {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
    return (value as Readonly<Record<string, unknown>>)[name];
  }, claims);
}
