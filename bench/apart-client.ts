/**
 * A client in its own process (`apart.ts`). For each path that it receives it reads and parses the answer, and sends back how long that took.
 */
const [baseUrl, email, password, tenantId] = process.argv.slice(2) as [string, string, string, string];

const login = await fetch(`${baseUrl}/api/v2/auth/login`, {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ email, password, tenantId }),
});
const { accessToken } = (await login.json()) as { accessToken: string };

export interface TimedAnswer {
  readonly took: number;
  readonly bytes: number;
  /** Number of descendants in the answer; 0 for an answer without them. */
  readonly lots: number;
}

process.on('message', (path: string) => {
  void ask(path).then((answer) => process.send!(answer));
});
process.send!('ready');

async function ask(path: string): Promise<TimedAnswer> {
  const begun = performance.now();
  const response = await fetch(baseUrl + path, { headers: { authorization: `Bearer ${accessToken}`, 'accept-encoding': 'identity' } });
  const text = await response.text();
  if (!response.ok) throw new Error(`${path}: ${response.status} ${text.slice(0, 200)}`);
  const { descendants } = JSON.parse(text) as { descendants?: readonly unknown[] };
  return { took: performance.now() - begun, bytes: Buffer.byteLength(text), lots: descendants?.length ?? 0 };
}
