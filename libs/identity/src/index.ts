export { ACCESS, Access, type AccessRule, CurrentActor } from '#http';
export * from './contract.js';
export { requireProcess } from './domain/access.js';
export * from './domain/errors.js';
export { senderOf } from './domain/sender.js';
