// The shell of the portal without a line: its page, scripts and styles. Answers of the API are never kept here.
const SHELL = 'portal-shell';
const PAGE = '/portal';

/** Keeps the files of the release that the service has, and deletes those of others. */
async function keepShell() {
  const answer = await fetch('/portal/shell.json', { cache: 'no-store' });
  if (!answer.ok) return;
  const { assets } = await answer.json();
  const cache = await caches.open(SHELL);
  const kept = new Set((await cache.keys()).map(({ url }) => new URL(url).pathname));
  const wanted = assets.map((name) => `/portal/${name}`);
  await Promise.all(wanted.filter((path) => !kept.has(path)).map((path) => cache.add(path)));
  await Promise.all([...kept].filter((path) => path !== PAGE && !wanted.includes(path)).map((path) => cache.delete(path)));
}

async function page(request) {
  const cache = await caches.open(SHELL);
  try {
    const answer = await fetch(request);
    if (answer.ok) await cache.put(PAGE, answer.clone());
    return answer;
  } catch (problem) {
    const kept = await cache.match(PAGE);
    if (kept) return kept;
    throw problem;
  }
}

async function asset(request) {
  return (await (await caches.open(SHELL)).match(request, { ignoreVary: true })) ?? fetch(request);
}

self.addEventListener('install', (event) => event.waitUntil(keepShell().then(() => self.skipWaiting())));
self.addEventListener('fetch', (event) => {
  const { pathname, origin } = new URL(event.request.url);
  if (event.request.method !== 'GET' || origin !== self.location.origin) return;
  if (event.request.mode === 'navigate' && (pathname === PAGE || pathname.startsWith('/portal/'))) {
    event.respondWith(page(event.request));
    event.waitUntil(keepShell().catch(() => undefined));
  } else if (pathname.startsWith('/portal/assets/')) event.respondWith(asset(event.request));
});
