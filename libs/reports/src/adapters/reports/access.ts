import type { Role } from '#kernel';

/** api-decisions §2, row "reports"; an ADMIN reads those of its own organisation (`domain/whose-figures.ts`). */
export const REPORT_READERS: readonly Role[] = ['ADMIN', 'AUDITOR', 'COMPLIANCE', 'TENANT_ADMIN'];
