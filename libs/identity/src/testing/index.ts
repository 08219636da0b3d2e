/** For tests that hold sign-in with Ethereum to the public vectors, below HTTP. */
export { SignedMessages } from '../adapters/siwe/signed-messages.js';
export { checkSiwe, type SiweClaims } from '../domain/siwe.js';
export { ForgetfulAuditLog } from './forgetful-audit-log.js';
export { GenerousQuotas } from './generous-quotas.js';
/** For tests that hold the SMTP adapter to a server that misbehaves. */
export { SmtpMailer } from '../adapters/outbound/smtp-mailer.js';
export { guardOf } from './guard-of.js';
