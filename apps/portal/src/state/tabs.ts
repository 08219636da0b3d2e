import type { LoginResult } from '#client';

/**
 * A tab that was duplicated has the refresh token of the other, and each works once: whoever renews tells the tabs that hold the one
 * before. Nothing of it is kept anywhere, and no page of another origin hears it.
 */
interface Renewed {
  readonly before: string;
  readonly tokens: LoginResult;
}

const channel = 'BroadcastChannel' in globalThis ? new BroadcastChannel('portal.session') : null;

export const tellTabs = (before: string, tokens: LoginResult): void => channel?.postMessage({ before, tokens } satisfies Renewed);

export function onRenewed(hear: (renewed: Renewed) => void): void {
  channel?.addEventListener('message', ({ data }: MessageEvent<Renewed>) => hear(data));
}
