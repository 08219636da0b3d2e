import { Controller, Get, Header } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Access } from '#http';
import { SigningKeys } from '../tokens/signing-keys.js';

const text = { type: 'string' };
const KEY = {
  type: 'object',
  required: ['kty', 'crv', 'x', 'y', 'kid', 'alg', 'use'],
  properties: { kty: text, crv: text, x: text, y: text, kid: text, alg: text, use: text },
};
const KEY_SET = { type: 'object', required: ['keys'], properties: { keys: { type: 'array', items: KEY } } };

@ApiTags('Authentication')
@Controller('.well-known')
export class KeysController {
  constructor(private readonly keys: SigningKeys) {}

  @Get('jwks.json')
  @Access('public')
  @Header('cache-control', 'public, max-age=300')
  @ApiOperation({ summary: 'Public keys of access tokens (RFC 7517)' })
  @ApiOkResponse({ description: 'A JSON Web Key Set', schema: KEY_SET })
  jwks(): SigningKeys['jwks'] {
    return this.keys.jwks;
  }
}
