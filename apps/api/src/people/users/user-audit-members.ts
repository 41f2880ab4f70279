import type { User } from '@widget-service/shared/ports/user-store.ts';

/** The members of a user that audit events show. */
export const toUserAuditMembers = ({ name, role, disabled }: User) => ({ name, role, disabled });
