import { computed, signal } from '@preact/signals';
import { forgetDraftFiles } from '../waiting/store';
import { forgetAll, keepFor } from './kept';
import { go } from './router';
import { ELSEWHERE, forgetSession, isBehind, keepNew, keepRenewed, keptSession, newerTokens, onOthers } from './tabs';
import {
  type ApiProblem,
  type IdentityView,
  type LoginResult,
  type MessageSigner,
  Session,
  type TraceabilityClient,
  tenantOf,
} from '#client';
import { phrase, t } from './language';
import { forgetPerson, isWithoutSession, lastPerson, nobody, rememberPerson } from './without-session';

/**
 * The access token lives in memory. The refresh token, which works once, is kept for this tab alone, so that a reload
 * goes on; it goes with the tab, and no other page and no later visitor can read it. (A cookie would need routes of its own.)
 */
export const session = signal<Session | null>(null);
export const me = signal<IdentityView | null>(null);
export const resuming = signal(keptSession() !== null);
/** Why there is no session any more. */
export const farewell = signal<string | null>(null);

export const isAdmin = computed(() => me.value?.roles.includes('TENANT_ADMIN') ?? false);

/** An OPERATOR alone reads no reports. */
export const readsReports = computed(() => me.value?.roles.some((role) => role !== 'OPERATOR') ?? false);

/** The API as the signed-in person. */
export function api(): TraceabilityClient {
  if (isWithoutSession.value) return nobody;
  if (!session.value) throw new Error(t('Not signed in.'));
  return session.value.client;
}

const OVER = phrase('Your session has ended. Sign in again; your drafts are kept.');
const WENT_ON = phrase('The session of this tab continued in another tab, which does not respond. Use that tab, or sign in again here.');

function keep(tokens: LoginResult | null): void {
  if (tokens) {
    keepRenewed(tokens);
    // The page shows the tenant that its token is for, whichever tab chose it.
    if (me.value && tenantOf(tokens.accessToken) !== me.value.tid) void readMe().catch(() => undefined);
  } else if (isBehind()) lose(WENT_ON);
  else {
    forgetSession({ signedOut: false });
    forgetPerson();
    lose(OVER);
  }
}

function lose(why: string): void {
  if (session.value) farewell.value = why;
  session.value = null;
  me.value = null;
}

/** For a sign-in: other tabs of the session that was here before have nothing to do with it. */
function startKeeping(): typeof keep {
  let begun = false;
  return (tokens) => {
    if (begun || !tokens) return keep(tokens);
    begun = true;
    keepNew(tokens);
  };
}

onOthers({
  renewed: (tokens) => {
    if (session.value) session.value.useTokens(tokens);
    else void resume();
  },
  ended: (signedOut) => {
    forgetSession(null);
    if (signedOut) forgetAll();
    lose(signedOut ? phrase('You signed out in another tab.') : OVER);
  },
});

async function enterWith(opening: Promise<Session>): Promise<void> {
  const opened = await opening;
  knowing(await opened.client.get<IdentityView>('/api/v2/auth/me'));
  farewell.value = null;
  isWithoutSession.value = false;
  session.value = opened;
}

export const signIn = (email: string, password: string): Promise<void> =>
  enterWith(Session.login(location.origin, { email, password }, startKeeping(), newerTokens));

export const signInWithPasskey = (): Promise<void> => enterWith(Session.signInWithPasskey(location.origin, startKeeping(), newerTokens));

/** @param token of the invitation */
export const acceptWithPasskey = (token: string): Promise<void> =>
  enterWith(Session.acceptWithPasskey(location.origin, { token, name: thisDevice() }, startKeeping(), newerTokens));

/** What a passkey of this device is called, unless the person says otherwise. */
export const thisDevice = (): string => /Android|iPhone|iPad|Mac|Windows|Linux/.exec(navigator.userAgent)?.[0] ?? t('This device');

const site = (chainId: number): { host: string; origin: string; chainId: number } => ({
  host: location.host,
  origin: location.origin,
  chainId,
});

/** Confirms the wallet that an administrator proposed. */
export async function confirmWallet(wallet: MessageSigner, chainId: number): Promise<void> {
  await session.value!.confirmWallet(wallet, site(chainId));
  await readMe();
}

/** @param tenantId where several people use the wallet */
export const signInWithWallet = (wallet: MessageSigner, chainId: number, tenantId: string): Promise<void> =>
  enterWith(
    Session.signInWithEthereum(
      location.origin,
      wallet,
      { ...site(chainId), ...(tenantId !== '' && { tenantId }) },
      startKeeping(),
      newerTokens,
    ),
  );

/** After a reload. Without the service the token stays where it is, and can be tried again. */
export async function resume(): Promise<void> {
  const kept = keptSession();
  if (kept === null || resumes) return;
  resumes = true;
  resuming.value = true;
  try {
    await enterWith(Session.resume(location.origin, kept.refreshToken, keep, newerTokens));
  } catch (problem) {
    const { status, code } = problem as ApiProblem;
    const over = (status === 401 || status === 403) && code !== ELSEWHERE;
    if (over) {
      forgetSession({ signedOut: false });
      forgetPerson();
    }
    farewell.value =
      code === ELSEWHERE
        ? WENT_ON
        : status === 401
          ? phrase('Your session has ended. Sign in again.')
          : phrase('The service does not respond. Try again in a moment.');
  } finally {
    resumes = false;
    resuming.value = false;
  }
}
let resumes = false;

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
  rememberPerson(person);
  me.value = person;
}

/** Without a line: for who was signed in last. */
export function recordWithoutSession(): void {
  const person = lastPerson();
  if (!person) return;
  keepFor(person.sub, person.tid ?? '');
  me.value = person;
  isWithoutSession.value = true;
  go('/record');
}

/** Back to the sign-in. */
export function endWithoutSession(): void {
  isWithoutSession.value = false;
  me.value = null;
}

export async function signOut(): Promise<void> {
  const opened = session.value;
  session.value = null;
  forgetSession({ signedOut: true });
  await opened?.end().catch(() => undefined);
  me.value = null;
  forgetAll();
  await forgetDraftFiles().catch(() => undefined);
  // The next user starts at the first page.
  go('/', { replace: true });
}
