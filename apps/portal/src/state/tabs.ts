import { ApiProblem, type LoginResult } from '#client';

/**
 * A tab that was duplicated, or that the browser brought back, has a refresh token of another tab's session, and each works once: one that is
 * presented when it is spent ends the session for all. So every sign-in has a name, and every renewal a number, which all tabs see: a tab whose
 * number is behind asks the others for what they have, and presents nothing. The numbers are in the local storage, the tokens only in
 * each tab; what tabs say to each other no page of another origin hears.
 */
interface StoredSession {
  readonly name: string;
  readonly renewal: number;
  readonly refreshToken: string;
}
type TabMessage = { readonly name: string; readonly renewal: number } & (
  | { readonly kind: 'renewed'; readonly tokens: LoginResult }
  | { readonly kind: 'asked' }
  | { readonly kind: 'ended'; readonly signedOut: boolean }
);

const KEPT = 'portal.refresh';
const RENEWAL = 'portal.renewal.';
/** A tab that sleeps answers late, or never. */
const ANSWER_MS = 3_000;
export const ELSEWHERE = 'session_elsewhere';
const LONGEST_SESSION_MS = 90 * 86_400_000;

const channel = 'BroadcastChannel' in globalThis ? new BroadcastChannel('portal.session') : null;
const say = (said: TabMessage): void => channel?.postMessage(said);
/** What this tab may hand to others. */
let held: { readonly name: string; readonly renewal: number; readonly tokens: LoginResult } | null = null;

export function keptSession(): StoredSession | null {
  try {
    return JSON.parse(sessionStorage.getItem(KEPT) ?? 'null') as StoredSession | null;
  } catch {
    return null;
  }
}

export function keepNew(tokens: LoginResult): void {
  deleteOldRenewals();
  const name = Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(16).padStart(2, '0')).join('');
  hold(name, 0, tokens);
}

/** After a renewal by this tab, and after what changes the session otherwise. */
export function keepRenewed(tokens: LoginResult): void {
  const before = keptSession();
  if (!before) return keepNew(tokens);
  const isNew = before.refreshToken !== tokens.refreshToken;
  hold(before.name, before.renewal + (isNew ? 1 : 0), tokens);
  if (isNew) say({ kind: 'renewed', ...held! });
}

/** @param notice whether the other tabs learn that the session is over, and how it ended */
export function forgetSession(notice: { readonly signedOut: boolean } | null): void {
  const kept = keptSession();
  sessionStorage.removeItem(KEPT);
  held = null;
  if (!kept || !notice) return;
  localStorage.removeItem(RENEWAL + kept.name);
  say({ kind: 'ended', name: kept.name, renewal: kept.renewal, ...notice });
}

/** Whether another tab has renewed what this one has. */
export function isBehind(): boolean {
  const kept = keptSession();
  return kept !== null && renewalOf(kept.name) > kept.renewal;
}

/**
 * What another tab was given since this one's token was new; null where this one's is the newest.
 * @throws ApiProblem 401 `session_elsewhere` where it is spent, and no tab says what followed it
 */
export async function newerTokens(): Promise<LoginResult | null> {
  const kept = keptSession();
  if (!kept || !isBehind()) return null;
  const answered = await new Promise<boolean>((done) => {
    const onMessage = ({ data }: MessageEvent<TabMessage>): void => {
      if (data.kind === 'renewed' && data.name === kept.name && data.renewal >= renewalOf(kept.name)) end(true);
    };
    const timer = setTimeout(() => end(false), ANSWER_MS);
    const end = (received: boolean): void => {
      clearTimeout(timer);
      channel?.removeEventListener('message', onMessage);
      done(received);
    };
    // After the listener of `onOthers`, which has taken what this one hears.
    channel?.addEventListener('message', onMessage);
    say({ kind: 'asked', name: kept.name, renewal: kept.renewal });
  });
  if (answered && held) return held.tokens;
  const detail = 'The session of this tab continued in another tab, which does not respond.';
  throw new ApiProblem(401, ELSEWHERE, detail, { detail });
}

export function onOthers({
  renewed,
  ended,
}: {
  readonly renewed: (tokens: LoginResult) => void;
  readonly ended: (signedOut: boolean) => void;
}): void {
  channel?.addEventListener('message', ({ data }: MessageEvent<TabMessage>) => {
    const kept = keptSession();
    if (kept?.name !== data.name) return;
    if (data.kind === 'asked') return held && held.renewal > data.renewal ? say({ kind: 'renewed', ...held }) : undefined;
    if (data.kind === 'ended') return ended(data.signedOut);
    if (data.renewal <= kept.renewal) return;
    hold(data.name, data.renewal, data.tokens);
    renewed(data.tokens);
  });
}

function hold(name: string, renewal: number, tokens: LoginResult): void {
  held = { name, renewal, tokens };
  localStorage.setItem(RENEWAL + name, `${Math.max(renewal, renewalOf(name))} ${Date.now()}`);
  sessionStorage.setItem(KEPT, JSON.stringify({ name, renewal, refreshToken: tokens.refreshToken } satisfies StoredSession));
}

const renewalOf = (name: string): number => Number(localStorage.getItem(RENEWAL + name)?.split(' ')[0] ?? 0);

function deleteOldRenewals(): void {
  for (const key of Object.keys(localStorage))
    if (key.startsWith(RENEWAL) && Date.now() - Number(localStorage.getItem(key)?.split(' ')[1] ?? 0) > LONGEST_SESSION_MS)
      localStorage.removeItem(key);
}
