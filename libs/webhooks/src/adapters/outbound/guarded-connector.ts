import type { LookupFunction } from 'node:net';
import { buildConnector } from 'undici';
import { type Networks, addressAllowed, literalAddress } from '../../domain/address.js';
import { type NameLookup, namesOf } from './name-lookup.js';

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
  const connect = buildConnector({ timeout: timeoutMs, lookup: guardedLookup(networks, names), autoSelectFamily: true });
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
