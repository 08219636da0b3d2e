import type { Language } from '#kernel';

interface PasswordMail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

interface Texts {
  readonly subject: string;
  readonly asked: string;
  /** Before the link, or the token. */
  readonly open: string;
  readonly send: string;
  readonly valid: string;
  readonly changedSubject: string;
  readonly changed: string;
}

const TEXTS: Readonly<Record<Language, Texts>> = {
  en: {
    subject: 'Reset your password',
    asked: 'Somebody, hopefully you, asked to reset your password.',
    open: 'Open this link to set a new one:',
    send: 'Send this token with a new password to /api/v2/auth/password/reset:',
    valid: 'It is valid for one hour and can be used once. If you do not use it, your password does not change.',
    changedSubject: 'Your password was changed',
    changed:
      'Your password was changed and your other sessions were ended. If that was not you, reset your password and tell your administrator.',
  },
  de: {
    subject: 'Passwort zurücksetzen',
    asked: 'Jemand, hoffentlich Sie, möchte Ihr Passwort zurücksetzen.',
    open: 'Öffnen Sie diesen Link, um ein neues festzulegen:',
    send: 'Senden Sie dieses Token mit einem neuen Passwort an /api/v2/auth/password/reset:',
    valid: 'Er gilt eine Stunde und kann einmal benutzt werden. Wenn Sie ihn nicht benutzen, ändert sich Ihr Passwort nicht.',
    changedSubject: 'Ihr Passwort wurde geändert',
    changed:
      'Ihr Passwort wurde geändert, und Ihre anderen Sitzungen wurden beendet. Wenn Sie das nicht waren, setzen Sie Ihr Passwort zurück und informieren Sie Ihren Administrator.',
  },
  fr: {
    subject: 'Réinitialiser votre mot de passe',
    asked: 'Quelqu’un, vous sans doute, a demandé à réinitialiser votre mot de passe.',
    open: 'Ouvrez ce lien pour en définir un nouveau :',
    send: 'Envoyez ce jeton avec un nouveau mot de passe à /api/v2/auth/password/reset :',
    valid: 'Il est valable une heure et ne peut servir qu’une fois. Si vous ne l’utilisez pas, votre mot de passe ne change pas.',
    changedSubject: 'Votre mot de passe a été modifié',
    changed:
      'Votre mot de passe a été modifié et vos autres sessions ont été fermées. Si ce n’était pas vous, réinitialisez votre mot de passe et prévenez votre administrateur.',
  },
  es: {
    subject: 'Restablecer su contraseña',
    asked: 'Alguien, esperamos que usted, pidió restablecer su contraseña.',
    open: 'Abra este enlace para establecer una nueva:',
    send: 'Envíe este token con una contraseña nueva a /api/v2/auth/password/reset:',
    valid: 'Es válido durante una hora y solo se puede usar una vez. Si no lo usa, su contraseña no cambia.',
    changedSubject: 'Su contraseña ha cambiado',
    changed:
      'Su contraseña ha cambiado y sus otras sesiones se han cerrado. Si no fue usted, restablezca su contraseña y avise a su administrador.',
  },
  vi: {
    subject: 'Đặt lại mật khẩu của bạn',
    asked: 'Ai đó, hy vọng là bạn, đã yêu cầu đặt lại mật khẩu của bạn.',
    open: 'Mở liên kết này để đặt mật khẩu mới:',
    send: 'Gửi mã này cùng mật khẩu mới đến /api/v2/auth/password/reset:',
    valid: 'Liên kết có hiệu lực một giờ và chỉ dùng được một lần. Nếu bạn không dùng, mật khẩu của bạn không thay đổi.',
    changedSubject: 'Mật khẩu của bạn đã được đổi',
    changed:
      'Mật khẩu của bạn đã được đổi và các phiên khác đã kết thúc. Nếu không phải bạn, hãy đặt lại mật khẩu và báo cho quản trị viên.',
  },
};

/** @param link with `{token}` where the token goes; null where there is no page for it */
export function resetMail(to: string, token: string, link: string | null, language: Language): PasswordMail {
  const { subject, asked, open, send, valid } = TEXTS[language];
  const how = link ? `${open}\n\n${link.replace('{token}', token)}` : `${send}\n\n${token}`;
  return { to, subject, text: `${asked}\n${how}\n\n${valid}\n` };
}

export const passwordChangedMail = (to: string, language: Language): PasswordMail => ({
  to,
  subject: TEXTS[language].changedSubject,
  text: `${TEXTS[language].changed}\n`,
});
