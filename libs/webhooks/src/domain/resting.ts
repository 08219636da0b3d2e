/** A receiver that has failed for so long is not only busy. */
const DEAD_AFTER_MS = 10_000;
/** How often one is tried then. It has thousands waiting, and each at once after the other would keep the workers from everybody else. */
export const REST_MS = 100;
/** More failing subscriptions than a process remembers: then it begins anew. */
const REMEMBERED = 10_000;

/** Which subscriptions a worker leaves alone for a moment: those that have answered nothing but failures to it for a while. */
export class Resting {
  private readonly failingSince = new Map<string, number>();
  private readonly restUntil = new Map<string, number>();

  /** @param now in milliseconds */
  ended(subscriptionId: string, success: boolean, now: number): void {
    if (success) {
      this.failingSince.delete(subscriptionId);
      this.restUntil.delete(subscriptionId);
      return;
    }
    const since = this.failingSince.get(subscriptionId);
    if (since === undefined) this.remember(subscriptionId, now);
    else if (now - since >= DEAD_AFTER_MS) this.restUntil.set(subscriptionId, now + REST_MS);
  }

  at(now: number): readonly string[] {
    for (const [id, until] of this.restUntil) if (until <= now) this.restUntil.delete(id);
    return [...this.restUntil.keys()];
  }

  private remember(subscriptionId: string, now: number): void {
    if (this.failingSince.size >= REMEMBERED) this.failingSince.clear();
    this.failingSince.set(subscriptionId, now);
  }
}
