import { lookup, Resolver } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';
import type { LookupFunction } from 'node:net';
import { callbackify } from 'node:util';
import type { buildConnector } from 'undici';
import { addressAllowed, literalAddress, type Networks } from './address.js';
import { undici } from './undici.client.js';

/** The address is one that deliveries must not reach. */
export class AddressRefused extends Error {
  readonly code = 'ADDRESS_REFUSED';
}

/**
 * undici's connector behind three checks: the literal in the URL (node's `lookup` is never called for one), every answer of
 * the name service at the moment of connecting (so a name cannot be rebound after a check), and the peer of the open socket.
 */
export function guardedConnector(
  networks: Networks,
  timeoutMs: number,
  names: NameLookup = namesOf({ patienceMs: timeoutMs }),
): buildConnector.connector {
  const connect = undici().buildConnector({ timeout: timeoutMs, lookup: guardedLookup(networks, names), autoSelectFamily: true });
  return (options, done) => {
    const literal = literalAddress(options.hostname);
    if (literal !== null && !addressAllowed(literal, networks)) return done(new AddressRefused(), null);
    connect(options, (error, socket) => {
      if (error) return done(error, null);
      if (addressAllowed(socket.remoteAddress ?? '', networks)) return done(null, socket);
      socket.destroy();
      done(new AddressRefused(), null);
    });
  };
}

const guardedLookup =
  (networks: Networks, names: NameLookup): LookupFunction =>
  (host, options, done) => {
    names(host, (error, found) => {
      if (error) return done(error, '', 0);
      // One forbidden answer among good ones is how a rebinding name looks: refuse them all.
      if (found.length === 0 || !found.every(({ address }) => addressAllowed(address, networks))) return done(new AddressRefused(), '', 0);
      if (options.all) return done(null, [...found]);
      done(null, found[0]!.address, found[0]!.family);
    });
  };

export type Addresses = readonly { readonly address: string; readonly family: number }[];
export type NameLookup = (host: string, done: (error: NodeJS.ErrnoException | null, found: Addresses) => void) => void;

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
  return callbackify(async (host: string): Promise<Addresses> => {
    const name = host.toLowerCase().replace(/\.$/, '');
    if (!name.includes('.')) return lookup(host, { all: true, verbatim: true });
    const known = await fromHostsFile(name);
    return known.length > 0 ? known : fromServers(resolver, name);
  });
}

async function fromHostsFile(name: string): Promise<Addresses> {
  const text = await readFile(HOSTS_FILE, 'utf8').catch(() => '');
  return text.split('\n').flatMap((line) => {
    const [address, ...names] = line.replace(/#.*/, '').trim().split(/\s+/);
    return names.some((each) => each.toLowerCase() === name) ? [{ address: address!, family: address!.includes(':') ? 6 : 4 }] : [];
  });
}

/** What either kind of record says; the error only when neither says anything. */
async function fromServers(resolver: Resolver, name: string): Promise<Addresses> {
  const [v4, v6] = await Promise.allSettled([
    resolver.resolve4(name).then((all) => all.map((address) => ({ address, family: 4 }))),
    resolver.resolve6(name).then((all) => all.map((address) => ({ address, family: 6 }))),
  ]);
  if (v4.status === 'rejected' && v6.status === 'rejected') throw v4.reason as Error;
  return [v4, v6].flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
}
