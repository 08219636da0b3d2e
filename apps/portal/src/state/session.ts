import { computed, signal } from '@preact/signals';
import { forgetAll, keepFor } from './kept';
import { go } from './router';
import { onRenewed, tellTabs } from './tabs';
import {
  type ApiProblem,
  type IdentityView,
  type LoginResult,
  type MessageSigner,
  Session,
  type TraceabilityClient,
  tenantOf,
} from '#client';

/**
 * The access token lives in memory. The refresh token, which works once, is kept for this tab alone, so that a reload
 * goes on; it goes with the tab, and no other page and no later visitor can read it. (A cookie would need routes of its own.)
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
  if (tokens) {
    const before = sessionStorage.getItem(KEPT);
    sessionStorage.setItem(KEPT, tokens.refreshToken);
    if (before !== null && before !== tokens.refreshToken) tellTabs(before, tokens);
    if (me.value && tenantOf(tokens.accessToken) !== me.value.tid) void readMe().catch(() => undefined);
    return;
  }
  sessionStorage.removeItem(KEPT);
  if (session.value) farewell.value = 'Your session has ended. Sign in again; what you had begun is still there.';
  session.value = null;
  me.value = null;
}

/** For a sign-in: other tabs of the session that was here before have nothing to do with it. */
function keepAnew(): typeof keep {
  let begun = false;
  return (tokens) => {
    if (!begun) sessionStorage.removeItem(KEPT);
    begun = true;
    keep(tokens);
  };
}

onRenewed(({ before, tokens }) => {
  if (sessionStorage.getItem(KEPT) !== before) return;
  sessionStorage.setItem(KEPT, tokens.refreshToken);
  session.value?.take(tokens);
});

async function enterWith(opening: Promise<Session>): Promise<void> {
  const opened = await opening;
  knowing(await opened.client.get<IdentityView>('/api/v2/auth/me'));
  farewell.value = null;
  session.value = opened;
}

export const signIn = (email: string, password: string): Promise<void> =>
  enterWith(Session.login(location.origin, { email, password }, keepAnew()));

export const signInWithWallet = (wallet: MessageSigner, chainId: number): Promise<void> =>
  enterWith(Session.signInWithEthereum(location.origin, wallet, { host: location.host, origin: location.origin, chainId }, keepAnew()));

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
  await readMe();
}

/** Also when another tab of the session has chosen another tenant: the page follows. */
async function readMe(): Promise<void> {
  const opened = session.value;
  if (opened) knowing(await opened.client.get<IdentityView>('/api/v2/auth/me'));
}

function knowing(person: IdentityView): void {
  keepFor(person.sub, person.tid ?? '');
  me.value = person;
}

export async function signOut(): Promise<void> {
  const opened = session.value;
  session.value = null;
  await opened?.end().catch(() => undefined);
  me.value = null;
  forgetAll();
  // Whoever comes next begins at the beginning.
  go('/', { replace: true });
}
