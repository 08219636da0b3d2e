import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { SmtpMailer } from '#identity/testing';
import { Clock } from '#kernel';
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
    new SmtpMailer(`smtp://${login}${host}:${sink.port}`, 'trace@example.org', new Clock(), authorities).send({ ...MAIL, to });

  it('arrives as it was written', async () => {
    await send();
    expect(sink.mails).toMatchObject([{ from: 'trace@example.org', to: MAIL.to, text: MAIL.text, encrypted: false, login: null }]);
    const headers = sink.mails[0]!.raw.split('\n\n', 1)[0]!.split('\n');
    expect(headers).toEqual(
      expect.arrayContaining([
        'From: trace@example.org',
        'To: ada@rice.example',
        'Subject: A new password',
        'Auto-Submitted: auto-generated',
        expect.stringMatching(/^Date: .+ \+0000$/),
        expect.stringMatching(/^Message-ID: <.+@example\.org>$/),
      ]),
    );
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

  it('believes nothing that was said before the encryption', async () => {
    // Read as the answer to the second EHLO, this would be a server without login (CVE-2011-0411).
    sink.script = { tls: { key: KEY, cert: CERT }, auth: 'PLAIN', injected: '250 injected' };
    await send(MAIL.to, 'localhost', 'user:secret@', CERT);
    expect(sink.mails).toMatchObject([{ encrypted: true, login: 'user secret', text: MAIL.text }]);
  });

  it('goes to one address and starts no command of its own', async () => {
    for (const to of ['a@b.example>\r\nRCPT TO:<c@d.example', 'a>b@c.example', '<a@b.example', 'a@b.example\n'])
      await expect(send(to)).rejects.toThrow('no mail can be sent to this address');
    // Without SMTPUTF8 the server takes ASCII addresses only.
    await expect(send('ä@b.example')).rejects.toThrow('the mail server answered 553 to RCPT');
    expect(sink.mails).toEqual([]);
  });

  it.each<[string, Record<string, string>, string]>([
    ['refuses the receiver', { 'RCPT TO': '550 no such user ada@rice.example' }, 'the mail server answered 550 to RCPT'],
    ['refuses the login', { AUTH: '535 wrong: secret' }, 'the mail server answered 535 to AUTH'],
    ['hangs up', { DATA: 'hang up' }, 'the mail server closed the connection'],
    ['talks nonsense', { EHLO: 'hello there', HELO: 'hello there' }, 'the mail server sent an invalid reply to HELO'],
    ['takes no password', { EHLO: '250 sink', AUTH: '502 no login here' }, 'the mail server answered 502 to AUTH'],
    ['offers encryption and refuses it', { STARTTLS: '454 not now' }, 'the mail server offers no encryption'],
  ])('fails by itself where the server %s, and tells no secret', async (_, answers, message) => {
    sink.script = { auth: 'PLAIN', answers, ...('STARTTLS' in answers && { tls: { key: KEY, cert: CERT } }) };
    const error = await send(MAIL.to, 'localhost', 'user:secret@').catch((failed: Error) => failed);
    expect((error as Error).message).toBe(message);
  });
});
