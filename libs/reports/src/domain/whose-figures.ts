import { type Actor, hasRole } from '#kernel';
import { ownOrganisationOnly } from './errors.js';

/** Who reads the restricted words of every organisation (api-decisions §2). */
export const readsAll = (actor: Actor): boolean => hasRole(actor, 'AUDITOR', 'COMPLIANCE', 'TENANT_ADMIN');

/**
 * api-decisions §2, row "reports": auditors, compliance and the tenant's administrators read all, an organisation's administrator
 * its own. @returns the organisation that the report is about; null for all of them
 */
export function whoseFigures(actor: Actor, asked: string | undefined): string | null {
  if (readsAll(actor)) return asked ?? null;
  if (actor.orgId === null || (asked ?? actor.orgId) !== actor.orgId) throw ownOrganisationOnly();
  return actor.orgId;
}
