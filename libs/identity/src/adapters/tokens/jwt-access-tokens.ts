import { Injectable } from '@nestjs/common';
import { JwtService } from '@nestjs/jwt';
import { newId } from '#kernel';
import { type AccessClaims, AccessTokens } from '../../ports.js';
import { IdentitySettings } from '../../settings.js';
import { ALGORITHM, AUDIENCE, SigningKeys } from './signing-keys.js';

@Injectable()
export class JwtAccessTokens extends AccessTokens {
  constructor(
    private readonly jwt: JwtService,
    private readonly keys: SigningKeys,
    private readonly settings: IdentitySettings,
  ) {
    super();
  }

  override issue(claims: AccessClaims): string {
    return this.jwt.sign(
      { ...claims, ver: 2, jti: newId() },
      {
        privateKey: this.keys.privateKey,
        algorithm: ALGORITHM,
        keyid: this.keys.kid,
        issuer: this.settings.issuer,
        audience: AUDIENCE,
        expiresIn: this.settings.accessSeconds,
        notBefore: 0,
      },
    );
  }
}
