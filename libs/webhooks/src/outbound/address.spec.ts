import { describe, expect, it } from '@jest/globals';
import { addressAllowed, checkedUrl, literalAddress, networksFrom } from './address.js';

const reaches = (url: string, allowed: readonly string[] = []): boolean =>
  addressAllowed(literalAddress(checkedUrl(url).hostname) ?? 'a name', networksFrom(allowed));

describe('where deliveries may go', () => {
  it.each([
    'http://127.0.0.1/',
    'http://127.1/',
    'http://0x7f000001/',
    'http://2130706433/',
    'http://0177.0.0.1/',
    'http://0/',
    'http://10.0.0.1/',
    'http://172.16.0.1/',
    'http://192.168.1.1/',
    'http://100.64.0.1/',
    'http://169.254.169.254/latest/meta-data',
    'http://167772161/',
    'http://0xa000001/',
    'http://012.0.0.1/',
    'http://10.1/',
    'http://10.0.0.1./',
    'http://①⓪.0.0.1/',
    'http:\\\\10.0.0.1\\',
    'http:10.0.0.1',
    'http://%31%30.0.0.1/',
    'http://100.100.100.200/',
    'http://168.63.129.16/',
    'http://[::ffff:168.63.129.16]/',
    'http://192.0.0.192/',
    'http://192.88.99.1/',
    'http://203.0.113.1/',
    'http://240.0.0.1/',
    'http://0.1.2.3/',
    'http://[::ffff:0:10.0.0.1]/',
    'http://[2001:db8::1]/',
    'http://[3fff::1]/',
    'http://[5f00::1]/',
    'http://[100::1]/',
    'http://[fec0::1]/',
    'http://192.0.0.1/',
    'http://198.18.0.1/',
    'http://224.0.0.1/',
    'http://255.255.255.255/',
    'http://[::1]/',
    'http://[::]/',
    'http://[::ffff:7f00:1]/',
    'http://[::ffff:10.0.0.1]/',
    'http://[::7f00:1]/',
    'http://[64:ff9b::7f00:1]/',
    'http://[64:ff9b:1::7f00:1]/',
    'http://[2002:7f00:1::]/',
    'http://[2001::1]/',
    'http://[fe80::1]/',
    'http://[fd00:ec2::254]/',
    'http://[ff02::1]/',
  ])('not %s', (url) => {
    expect(reaches(url)).toBe(false);
  });

  it.each(['http://8.8.8.8/', 'https://[2606:4700:4700::1111]/'])('but %s', (url) => {
    expect(reaches(url)).toBe(true);
  });

  it.each(['fe80::1%eth0', '10.0.0.1.', '10.0.0', '', 'localhost', '::ffff:127.0.0.1%lo', '0x7f.1', '127.0.0.1:80'])(
    'nor to %j, should a name service say so',
    (answer) => {
      expect(addressAllowed(answer, [])).toBe(false);
    },
  );

  it('and what the operator lists, in whatever form it is written', () => {
    expect(reaches('http://127.0.0.1/', ['127.0.0.0/8'])).toBe(true);
    expect(reaches('http://[::ffff:7f00:1]/', ['127.0.0.0/8'])).toBe(true);
    expect(reaches('http://10.2.0.1/', ['10.1.0.0/16'])).toBe(false);
    expect(() => networksFrom(['10.0.0.0'])).toThrow('10.0.0.0');
  });

  it.each([
    '',
    'nonsense',
    '/hook',
    'ftp://example.com/',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'http://user@example.com/',
    'http://:pw@example.com/',
    'http://@example.com/',
    'http://:@example.com/',
    'http:\\\\@example.com/',
    '\u0001http://user@example.com/',
    'http://exa mple.com/',
    'http://example.com/\n',
    'ht\ttp://example.com/',
    'http://127.0.0.1:65536/',
    'http://[::1',
    'http://1.2.3.4.5/',
    'http://0x100000000/',
    'data:text/plain,x',
    'blob:http://example.com/x',
    'http://',
    `https://example.com/${'a'.repeat(2048)}`,
  ])('refuses %s as a URL', (url) => {
    expect(() => checkedUrl(url)).toThrow(expect.objectContaining({ code: 'webhook_url_invalid', status: 422 }));
  });

  it('takes an @ that is not in front of the host', () => {
    expect(checkedUrl('https://example.com/@name?to=a@b#@').pathname).toBe('/@name');
  });
});
