import { lookup, Resolver } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';
import { callbackify } from 'node:util';

export type Found = readonly { readonly address: string; readonly family: number }[];
export type NameLookup = (host: string, done: (error: NodeJS.ErrnoException | null, found: Found) => void) => void;

const HOSTS_FILE = '/etc/hosts';

/**
 * The addresses of a host that a tenant named. The system's own lookup holds one of the process's four threads until a name server
 * answers or is given up, and files and password hashes wait for the same threads: a few names whose servers stay silent would stop the
 * whole service. So it is asked only for names that no stranger has a server for, those without a dot; the file of hosts comes
 * first, as with the system, and the rest goes to DNS directly, which holds no thread.
 * @param servers instead of the system's; for tests
 */
export function namesOf({ patienceMs, servers }: { readonly patienceMs: number; readonly servers?: readonly string[] }): NameLookup {
  // The second try waits twice as long: a server that never says anything about IPv6 leaves time for what it said about IPv4.
  const resolver = new Resolver({ timeout: Math.ceil(patienceMs / 4), tries: 2 });
  if (servers) resolver.setServers(servers);
  return callbackify(async (host: string): Promise<Found> => {
    const name = host.toLowerCase().replace(/\.$/, '');
    if (!name.includes('.')) return lookup(host, { all: true, verbatim: true });
    const known = await fromHostsFile(name);
    return known.length > 0 ? known : fromServers(resolver, name);
  });
}

async function fromHostsFile(name: string): Promise<Found> {
  const text = await readFile(HOSTS_FILE, 'utf8').catch(() => '');
  return text.split('\n').flatMap((line) => {
    const [address, ...names] = line.replace(/#.*/, '').trim().split(/\s+/);
    return names.some((each) => each.toLowerCase() === name) ? [{ address: address!, family: address!.includes(':') ? 6 : 4 }] : [];
  });
}

/** What either kind of record says; the error only when neither says anything. */
async function fromServers(resolver: Resolver, name: string): Promise<Found> {
  const [v4, v6] = await Promise.allSettled([
    resolver.resolve4(name).then((all) => all.map((address) => ({ address, family: 4 }))),
    resolver.resolve6(name).then((all) => all.map((address) => ({ address, family: 6 }))),
  ]);
  if (v4.status === 'rejected' && v6.status === 'rejected') throw v4.reason as Error;
  return [v4, v6].flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
}
