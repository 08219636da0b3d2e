import { startEmbeddedPostgres } from '#persistence';

// Run by the embedded server's suite, which kills it: says the server's process and the folder of its socket, then lives until it is killed.
const [dataDir, binDir] = process.argv.slice(2) as [string, string | undefined];
const server = await startEmbeddedPostgres({ dataDir, ...(binDir && { binDir }) });
process.stdout.write(`${server.pid} ${server.endpoint.host}\n`);
setInterval(() => undefined, 60_000);
