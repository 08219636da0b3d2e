import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { SoftwarePasskey } from '../../apps/cli/src/demo/software-passkey.js';

export type { Ceremony } from '../../apps/cli/src/demo/software-passkey.js';

/** One new passkey in one device. */
export class Authenticator extends SoftwarePasskey {
  constructor({ counter = 0, copyOf }: { readonly counter?: number; readonly copyOf?: Authenticator } = {}) {
    super(
      copyOf?.id ?? randomBytes(16).toString('base64url'),
      copyOf?.privateKey ?? generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey,
      counter,
    );
  }
}
