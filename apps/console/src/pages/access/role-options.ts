import { texts } from '../../texts/texts.ts';

/** The roles with their names, from the least to the most powerful. */
export const roleOptions = (['viewer', 'editor', 'admin'] as const).map(
  (role) => [role, texts.access.roles[role]] as const,
);
