export { ACCESS, Access, type AccessRule, CurrentActor } from '#http';
export * from './contract.js';
