import type { Language } from '#kernel';

interface InvitationMail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

interface Texts {
  readonly subject: string;
  /** With `{tenant}`. */
  readonly member: string;
  readonly signIn: string;
  readonly send: string;
  readonly open: string;
  readonly valid: string;
  /** Where there is no link. */
  readonly validToken: string;
}

const TEXTS: Readonly<Record<Language, Texts>> = {
  en: {
    subject: 'You are invited',
    member: '{tenant} has made you a member. If you do not sign in to it, nothing changes for you.',
    signIn: 'Sign in with your password and choose it there.',
    send: 'Send this token with a password of your own to /api/v2/auth/invitations/accept:',
    open: 'Open this link to set a password, and sign in with it:',
    valid: 'The link is valid for seven days and can be used once.',
    validToken: 'The token is valid for seven days and can be used once.',
  },
  de: {
    subject: 'Sie sind eingeladen',
    member: '{tenant} hat Sie als Mitglied aufgenommen. Wenn Sie sich dort nicht anmelden, ändert sich für Sie nichts.',
    signIn: 'Melden Sie sich mit Ihrem Passwort an und wählen Sie es dort aus.',
    send: 'Senden Sie dieses Token mit einem eigenen Passwort an /api/v2/auth/invitations/accept:',
    open: 'Öffnen Sie diesen Link, legen Sie ein Passwort fest und melden Sie sich damit an:',
    valid: 'Der Link gilt sieben Tage und kann einmal benutzt werden.',
    validToken: 'Das Token gilt sieben Tage und kann einmal benutzt werden.',
  },
  fr: {
    subject: 'Vous êtes invité',
    member: '{tenant} vous a ajouté comme membre. Si vous ne vous y connectez pas, rien ne change pour vous.',
    signIn: 'Connectez-vous avec votre mot de passe et choisissez cette organisation.',
    send: 'Envoyez ce jeton avec un mot de passe de votre choix à /api/v2/auth/invitations/accept :',
    open: 'Ouvrez ce lien pour définir un mot de passe, puis connectez-vous avec celui-ci :',
    valid: 'Le lien est valable sept jours et ne peut servir qu’une fois.',
    validToken: 'Le jeton est valable sept jours et ne peut servir qu’une fois.',
  },
  es: {
    subject: 'Tiene una invitación',
    member: '{tenant} le ha añadido como miembro. Si no inicia sesión allí, nada cambia para usted.',
    signIn: 'Inicie sesión con su contraseña y elíjalo allí.',
    send: 'Envíe este token con una contraseña propia a /api/v2/auth/invitations/accept:',
    open: 'Abra este enlace para establecer una contraseña e inicie sesión con ella:',
    valid: 'El enlace es válido durante siete días y solo se puede usar una vez.',
    validToken: 'El token es válido durante siete días y solo se puede usar una vez.',
  },
  vi: {
    subject: 'Bạn được mời',
    member: '{tenant} đã thêm bạn làm thành viên. Nếu bạn không đăng nhập vào đó, không có gì thay đổi với bạn.',
    signIn: 'Đăng nhập bằng mật khẩu của bạn và chọn tổ chức đó.',
    send: 'Gửi mã này cùng một mật khẩu của riêng bạn đến /api/v2/auth/invitations/accept:',
    open: 'Mở liên kết này để đặt mật khẩu và đăng nhập bằng mật khẩu đó:',
    valid: 'Liên kết có hiệu lực bảy ngày và chỉ dùng được một lần.',
    validToken: 'Mã có hiệu lực bảy ngày và chỉ dùng được một lần.',
  },
};

interface Invitation {
  readonly tenant: string;
  /** For who has no password yet. */
  readonly token: string | null;
  /** Of the service, where it is known. */
  readonly origin: string | null;
}

export function invitationMail(to: string, language: Language, { tenant, token, origin }: Invitation): InvitationMail {
  const { subject, member, signIn, send, open, valid, validToken } = TEXTS[language];
  const page = (path: string): string => (origin === null ? '' : `${origin}/portal/${path}`);
  const how =
    token === null ? `${signIn}\n${page('')}` : origin === null ? `${send}\n\n${token}` : `${open}\n\n${page(`invitation#${token}`)}`;
  return {
    to,
    subject,
    text: `${member.replace('{tenant}', () => tenant)}\n${how}\n${token === null ? '' : `\n${origin === null ? validToken : valid}`}\n`,
  };
}
