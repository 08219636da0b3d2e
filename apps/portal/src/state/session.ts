import { computed, signal } from '@preact/signals';
import { go } from './router';
import { type ApiProblem, type IdentityView, type LoginResult, type MessageSigner, Session, type TraceabilityClient } from '#client';

/**
 * The access token lives in memory. The refresh token, which works once, is kept for this tab alone, so that a reload
 * goes on; it goes with the tab, and no other page and no later visitor can read it.
 */
const KEPT = 'portal.refresh';

export const session = signal<Session | null>(null);
export const me = signal<IdentityView | null>(null);
export const resuming = signal(sessionStorage.getItem(KEPT) !== null);
/** Why there is no session any more. */
export const farewell = signal<string | null>(null);

export const isAdmin = computed(() => me.value?.roles.includes('TENANT_ADMIN') ?? false);

/** An OPERATOR alone reads no reports. */
export const readsReports = computed(() => me.value?.roles.some((role) => role !== 'OPERATOR') ?? false);

/** The API as the signed-in person. */
export function api(): TraceabilityClient {
  if (!session.value) throw new Error('Nobody is signed in.');
  return session.value.client;
}

function keep(tokens: LoginResult | null): void {
  if (tokens) return sessionStorage.setItem(KEPT, tokens.refreshToken);
  sessionStorage.removeItem(KEPT);
  if (session.value) farewell.value = 'Your session has ended. Sign in again; what you had begun is still there.';
  session.value = null;
  me.value = null;
}

async function enterWith(opening: Promise<Session>): Promise<void> {
  const opened = await opening;
  me.value = await opened.client.get<IdentityView>('/api/v2/auth/me');
  farewell.value = null;
  session.value = opened;
}

export const signIn = (email: string, password: string): Promise<void> =>
  enterWith(Session.login(location.origin, { email, password }, keep));

export const signInWithWallet = (wallet: MessageSigner, chainId: number): Promise<void> =>
  enterWith(Session.signInWithEthereum(location.origin, wallet, { host: location.host, origin: location.origin, chainId }, keep));

/** After a reload. Without the service the token stays where it is, and can be tried again. */
export async function resume(): Promise<void> {
  const token = sessionStorage.getItem(KEPT);
  if (token === null) return;
  resuming.value = true;
  try {
    await enterWith(Session.resume(location.origin, token, keep));
  } catch (problem) {
    const { status } = problem as ApiProblem;
    if (status === 401 || status === 403) keep(null);
    farewell.value = status === 401 ? 'Your session has ended. Sign in again.' : 'The service does not answer. Try again in a moment.';
  } finally {
    resuming.value = false;
  }
}

export async function enterTenant(slug: string): Promise<void> {
  const opened = session.value!;
  await opened.enter(slug);
  me.value = await opened.client.get<IdentityView>('/api/v2/auth/me');
}

export async function signOut(): Promise<void> {
  const opened = session.value;
  session.value = null;
  await opened?.end().catch(() => undefined);
  me.value = null;
  // Whoever comes next begins at the beginning.
  go('/', { replace: true });
}
