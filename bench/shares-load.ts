import { randomBytes } from 'node:crypto';

/** What one tenant sends at once, until it gets `stop`. */
export interface Attack {
  readonly baseUrl: string;
  /** Of the administrator, and of a company that may record. */
  readonly tokens: { readonly admin: string; readonly company: string };
  readonly reports: number;
  /** Hashes a second. */
  readonly hashes: number;
  /** A document to capture. */
  readonly document: string;
  readonly walk: string;
}

export interface Answered {
  readonly reports: number;
  readonly captures: number;
  readonly walks: number;
  readonly hashes: number;
  /** Refusals for lack of room, by their code. */
  readonly refused: Readonly<Record<string, number>>;
}

const REPORTS = ['yield', 'inventory', 'suppliers', 'documents'];
const counts = { reports: 0, captures: 0, walks: 0, hashes: 0 };
const refused: Record<string, number> = {};
const over = new AbortController();
let questions = Date.now() % 1_000_000_000;

const pause = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms));

/** As a client does: after a refusal it waits for the time of `Retry-After`. */
async function send(url: string, token: string, body?: { readonly text: string; readonly type: string }): Promise<boolean> {
  const answer = await fetch(url, {
    method: body ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': body.type }) },
    ...(body && { body: body.text }),
  });
  const text = await answer.text();
  if (answer.ok) return true;
  const { code = String(answer.status) } = JSON.parse(text) as { code?: string };
  refused[code] = (refused[code] ?? 0) + 1;
  await pause(1_000 * Number(answer.headers.get('retry-after') ?? 1));
  return false;
}

async function again(kind: keyof typeof counts, one: (i: number) => Promise<boolean>): Promise<void> {
  for (let i = 0; !over.signal.aborted; i++) if (await one(i).catch(() => false)) counts[kind]++;
}

function begin({ baseUrl, tokens, reports, hashes, document, walk }: Attack): void {
  for (let n = 0; n < reports; n++)
    void again('reports', (i) => {
      const to = new Date(Date.UTC(2999, 0, 1) + ++questions).toISOString();
      return send(`${baseUrl}/api/v1/reports/${REPORTS[(n + i) % REPORTS.length]!}?to=${to}`, tokens.admin);
    });
  void again('captures', () => send(`${baseUrl}/api/v1/epcis/capture`, tokens.company, { text: document, type: 'application/ld+json' }));
  void again('walks', () => send(baseUrl + walk, tokens.admin));
  // As fast as the limit of a principal lets it, whatever the answers take.
  void again('hashes', async () => {
    const text = JSON.stringify({ txHash: `0x${randomBytes(32).toString('hex')}` });
    const [sent] = await Promise.all([
      send(`${baseUrl}/api/v1/tx/track`, tokens.company, { text, type: 'application/json' }),
      pause(1_000 / hashes),
    ]);
    return sent;
  });
}

process.on('message', (message: Attack | 'stop') => {
  if (message !== 'stop') return begin(message);
  over.abort();
  process.send!({ ...counts, refused } satisfies Answered);
});
