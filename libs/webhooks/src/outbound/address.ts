import ipaddr from 'ipaddr.js';
import { urlInvalid } from '../errors.js';

const MAX_URL = 2048;
/** What a cloud answers to its own machines at a public address: Azure's platform, with the credentials of a machine among the rest. */
const PLATFORMS: readonly string[] = ['168.63.129.16'];
/** What IANA hands out as global unicast. ipaddr.js also calls ::/96 (`::7f00:1`, an IPv4 address in disguise) unicast. */
const GLOBAL_UNICAST_V6 = ipaddr.IPv6.parseCIDR('2000::/3');

/** An empty user name too, which the parser drops: a later reader of the text may take the part before the @ for the host. */
const USER_INFO = /^[a-z]+:[\\/]*[^\\/?#]*@/i;

/** @throws DomainError 422 `webhook_url_invalid` */
export function checkedUrl(text: string): URL {
  const url = text.length <= MAX_URL && !/\s/.test(text) && URL.canParse(text) ? new URL(text) : null;
  if (!url || !['http:', 'https:'].includes(url.protocol) || url.hostname === '') throw urlInvalid();
  if (url.username !== '' || url.password !== '' || USER_INFO.test(text)) throw urlInvalid();
  return url;
}

/** The IP address that a URL's host name is, however it was written: WHATWG has turned `127.1` and `0x7f000001` into 127.0.0.1. */
export function literalAddress(hostname: string): string | null {
  const bare = hostname.replace(/^\[|\]$/g, '');
  return ipaddr.isValid(bare) ? bare : null;
}

export type Networks = readonly [ipaddr.IPv4 | ipaddr.IPv6, number][];

/** @throws TypeError naming the range that is not CIDR */
export const networksFrom = (ranges: readonly string[]): Networks =>
  ranges.map((range) => {
    if (!ipaddr.isValidCIDR(range)) throw new TypeError(`WEBHOOK_ALLOWED_NETWORKS: "${range}" is not a CIDR range such as 10.1.0.0/16`);
    return ipaddr.parseCIDR(range);
  });

/** Whether deliveries may reach an address: the public Internet, and what the operator lists. Fails closed. */
export function addressAllowed(address: string, allowed: Networks): boolean {
  if (!ipaddr.isValid(address)) return false;
  const ip = ipaddr.process(address); // ::ffff:127.0.0.1 is 127.0.0.1
  if (allowed.some(([network, bits]) => network.kind() === ip.kind() && ip.match(network, bits))) return true;
  if (ip.range() !== 'unicast' || PLATFORMS.includes(ip.toString())) return false;
  return ip.kind() === 'ipv4' || (ip as ipaddr.IPv6).match(GLOBAL_UNICAST_V6);
}
