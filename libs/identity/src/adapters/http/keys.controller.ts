import { Controller, Get, Header } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Access } from '#http';
import { SigningKeys } from '../tokens/signing-keys.js';

@ApiTags('Authentication')
@Controller('.well-known')
export class KeysController {
  constructor(private readonly keys: SigningKeys) {}

  @Get('jwks.json')
  @Access('public')
  @Header('cache-control', 'public, max-age=300')
  @ApiOperation({ summary: 'Public keys of access tokens (RFC 7517)' })
  @ApiOkResponse({ description: 'A JSON Web Key Set' })
  jwks(): SigningKeys['jwks'] {
    return this.keys.jwks;
  }
}
