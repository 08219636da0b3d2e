// Whether this container does its work: an API is ready, a worker shows its metrics. Ends with 1 where it does not.
const { ROLE = 'all', PORT = '3000', METRICS_PORT = '9464' } = process.env;
const url = ROLE === 'worker' ? `http://127.0.0.1:${METRICS_PORT}/metrics` : `http://127.0.0.1:${PORT}/health/ready`;

try {
  const { ok, status } = await fetch(url, { signal: AbortSignal.timeout(4_000) });
  if (!ok) throw new Error(`it answers ${status}`);
} catch (error) {
  process.stderr.write(`${url}: ${error.cause?.code ?? error.message}\n`);
  process.exitCode = 1;
}
