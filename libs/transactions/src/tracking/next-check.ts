/** What the time of the next poll depends on. */
interface Watched {
  readonly status: string;
  readonly submittedAt: Date;
  readonly unseenSince: Date | null;
  readonly nextCheckAt: Date;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
/** How long dropped and replaced transactions are polled. */
const REVIVAL_MS = 7 * 86_400 * SECOND;
const NEVER = new Date('9999-12-31T00:00:00Z');

const within = (ms: number, least: number, most: number): number => Math.min(most, Math.max(least, ms));

/**
 * When a transaction is polled again (docs/spec/domain.md#tracked-transactions). The longer nothing is seen of it, the rarer: anybody can
 * invent a hash. One that touches a contract of the tenant is polled at once when its block is indexed, whatever this says.
 */
export function nextCheck(tracked: Watched, { at, dropAfterMs }: { readonly at: Date; readonly dropAfterMs: number }): Date {
  const { status, submittedAt, nextCheckAt } = tracked;
  const age = Math.max(0, at.getTime() - submittedAt.getTime());
  const after = (ms: number): Date => new Date(at.getTime() + ms);
  switch (status) {
    case 'submitted': {
      const untilDropped = (tracked.unseenSince ?? at).getTime() + dropAfterMs - at.getTime();
      return after(within(Math.min(age / 2, untilDropped), 2 * SECOND, 5 * MINUTE));
    }
    case 'pending':
      // Its block comes soon, as a rule: with every head at first.
      return age < 40 * SECOND ? earlier(nextCheckAt, at) : after(within(age / 20, 2 * SECOND, MINUTE));
    case 'dropped':
    case 'replaced': {
      const unseenFor = at.getTime() - (tracked.unseenSince ?? submittedAt).getTime();
      const next = Math.max(MINUTE, (unseenFor - dropAfterMs) / 2);
      return unseenFor + next > REVIVAL_MS ? NEVER : after(next);
    }
    default:
      return earlier(nextCheckAt, at);
  }
}

const earlier = (a: Date, b: Date): Date => (a < b ? a : b);
