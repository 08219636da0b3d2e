import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { SmtpMailer } from '#identity/testing';
import { SystemClock } from '#kernel';
import { SmtpSink } from '../harness/smtp-sink.js';

/** For localhost, good for a century, and good for nothing else. */
const KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg7ju3I3FcTxOtW4JW
ZL97vNxj4lSy0uxj1AcQTT7aL7ShRANCAARbg7fQPGaK8mpjZ9bnBFFwfBP/GCCF
fAnelY5+mV/MJ2H5FTtMm4gN++HoJ9JPyx7MJYtDoJyz3I3O4f4kpHeI
-----END PRIVATE KEY-----`;
const CERT = `-----BEGIN CERTIFICATE-----
MIIBmzCCAUGgAwIBAgIUUDPt82vEKg4C4nhLLYF6aeC941kwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyODA1NTI1N1oYDzIxMjYxMTA0
MDU1MjU3WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAARbg7fQPGaK8mpjZ9bnBFFwfBP/GCCFfAnelY5+mV/MJ2H5FTtMm4gN
++HoJ9JPyx7MJYtDoJyz3I3O4f4kpHeIo28wbTAdBgNVHQ4EFgQUUdIiS+SAG6rw
f766BVZevC2UKu4wHwYDVR0jBBgwFoAUUdIiS+SAG6rwf766BVZevC2UKu4wDwYD
VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZI
zj0EAwIDSAAwRQIgKG6iIDuvy4xoUNyS3JhntZ04zTlZfeaVeGvm/rW41vQCIQCA
gXpliwRCDjIKUF907h7vMXmAqatCIkfpMVdNvVkfvQ==
-----END CERTIFICATE-----`;
const MAIL = {
  to: 'ada@rice.example',
  subject: 'A new password',
  text: `.\nA line that begins with a dot, and a token: ${'t'.repeat(43)}\nGrüße\n`,
};

describe('mail by SMTP', () => {
  let sink: SmtpSink;
  beforeAll(async () => {
    sink = await SmtpSink.start();
  });
  afterAll(() => sink?.close());
  beforeEach(() => {
    sink.script = {};
    sink.mails.length = 0;
  });

  const send = (to = MAIL.to, host = 'localhost', login = '', authorities?: string): Promise<void> =>
    new SmtpMailer(`smtp://${login}${host}:${sink.port}`, 'trace@example.org', new SystemClock(), authorities).send({ ...MAIL, to });

  it('arrives as it was written', async () => {
    await send();
    expect(sink.mails).toMatchObject([{ from: 'trace@example.org', to: MAIL.to, text: MAIL.text, encrypted: false, login: null }]);
    expect(sink.mails[0]!.raw).toMatch(/^From: <trace@example\.org>\nTo: <ada@rice\.example>\nSubject: A new password\nDate: .+ \+0000\n/);
  });

  it.each(['PLAIN', 'LOGIN'] as const)('logs in by %s', async (auth) => {
    sink.script = { auth };
    await send(MAIL.to, 'localhost', 'trace%40example.org:p%40ss@');
    expect(sink.mails[0]!.login).toBe('trace@example.org p@ss');
  });

  it('is encrypted where the server offers it, and only to a server whose certificate holds', async () => {
    sink.script = { tls: { key: KEY, cert: CERT }, auth: 'PLAIN' };
    await expect(send(MAIL.to, 'localhost', 'user:secret@')).rejects.toThrow(/certificate/);
    expect(sink.mails).toEqual([]);
    await send(MAIL.to, 'localhost', 'user:secret@', CERT);
    expect(sink.mails).toMatchObject([{ encrypted: true, login: 'user secret', text: MAIL.text }]);
  });

  it('never leaves this machine in the clear', async () => {
    // The same server under a name that does not say that it is this machine.
    await expect(send(MAIL.to, '[::ffff:127.0.0.1]')).rejects.toThrow('offers no encryption');
    expect(sink.mails).toEqual([]);
  });

  it('goes to one address and starts no command of its own', async () => {
    for (const to of ['a@b.example>\r\nRCPT TO:<c@d.example', 'a>b@c.example', '<a@b.example', 'a@b.example\n'])
      await expect(send(to)).rejects.toThrow('no mail can be sent to this address');
    await expect(send('ä@b.example')).rejects.toThrow('ASCII addresses only');
    expect(sink.mails).toEqual([]);
  });

  it.each<[string, Record<string, string>, string]>([
    ['refuses the receiver', { 'RCPT TO': '550 no such user ada@rice.example' }, 'the mail server answered 550 to RCPT'],
    ['refuses the login', { AUTH: '535 wrong: secret' }, 'the mail server answered 535 to AUTH'],
    ['hangs up', { DATA: 'hang up' }, 'the mail server hung up at DATA'],
    ['talks nonsense', { EHLO: 'hello there' }, 'the mail server answered nonsense to EHLO'],
    ['takes no password', { EHLO: '250 sink' }, 'the mail server takes no password'],
    ['speaks before the encryption', { STARTTLS: '220 go\r\n250 injected' }, 'the mail server spoke before the encryption'],
  ])('fails by itself where the server %s, and tells no secret', async (_, answers, message) => {
    sink.script = { auth: 'PLAIN', answers, ...('STARTTLS' in answers && { tls: { key: KEY, cert: CERT } }) };
    const error = await send(MAIL.to, 'localhost', 'user:secret@').catch((failed: Error) => failed);
    expect((error as Error).message).toBe(message);
  });
});
