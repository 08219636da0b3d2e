/** What a remembered credential hangs on. When one of them changes, the credential is looked at again. */
export const subjectOf = {
  session: (sessionId: string): string => `session:${sessionId}`,
  user: (userId: string): string => `user:${userId}`,
  member: (tenantId: string, userId: string): string => `member:${tenantId}:${userId}`,
  apiKey: (keyId: string): string => `key:${keyId}`,
  /** Its status, and the wallets of its organisations. */
  tenant: (tenantId: string): string => `tenant:${tenantId}`,
};
