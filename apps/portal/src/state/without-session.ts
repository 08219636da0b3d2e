import { signal } from '@preact/signals';
import { type IdentityView, TraceabilityClient } from '#client';
import { keep, keptByAnybody } from './kept';

/**
 * Without a line nobody can sign in. Who was signed in on this device last, and did not sign out, can go on recording: nothing is asked and
 * nothing is sent, and what is recorded waits for that person, who signs in and reads it first. For a day, so that a device that
 * somebody else finds later knows nothing.
 */
const KEPT = 'person';
const LONGEST_MS = 24 * 3_600_000;

interface LastUse {
  readonly person: IdentityView;
  readonly at: number;
}

/** Nobody is signed in, and somebody records. */
export const isWithoutSession = signal(false);

/** Of who is signed in now; each sign-in and each reload is a use. */
export const rememberPerson = (person: IdentityView): void =>
  keep(KEPT, person.tid === null ? null : ({ person, at: Date.now() } satisfies LastUse), 'device');

/** The service says that the session is over, or the person does. */
export const forgetPerson = (): void => keep(KEPT, null, 'device');

export function lastPerson(now = Date.now()): IdentityView | null {
  const [newest] = keptByAnybody<LastUse>(KEPT).toSorted((a, b) => b.at - a.at);
  return newest && now - newest.at < LONGEST_MS && now >= newest.at ? newest.person : null;
}

/** Asks nothing: every request ends as one without a line. */
export const nobody = new TraceabilityClient(location.origin, {
  token: () => {
    throw new TypeError('There is no session.');
  },
  renew: () => Promise.resolve(false),
});
