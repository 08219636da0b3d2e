/** Keeps the page and its scripts on the device (public/sw.js), so that it opens without a line; after everything that is shown first. */
export function keepShell(): void {
  if (!('serviceWorker' in navigator)) return;
  const register = (): void => void navigator.serviceWorker.register('/portal/sw.js', { scope: '/portal' }).catch(() => undefined);
  if (document.readyState === 'complete') register();
  else addEventListener('load', register, { once: true });
}
