import { Body, Controller, Get, Header, Headers, HttpCode, Ip, Post, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { Access, ApiProblems, CHAIN_UNAVAILABLE, LimitAs, StringField } from '#http';
import { SignInWithEthereum, type SignedMessage } from '../../application/sign-in-with-ethereum.js';
import {
  notAMember,
  siweAddressNotEip55,
  siweInvalidSignature,
  siweMalformed,
  siweNotCurrent,
  siweUnknownNonce,
  siweWrongChain,
  siweWrongDomain,
  siweWrongUri,
  siweWrongVersion,
  unknownWallet,
  walletOfSeveral,
} from '../../domain/errors.js';
import { LoginResultView } from './auth.dto.js';

export class SiweRequest implements SignedMessage {
  @StringField({ description: 'The signed text of EIP-4361, at most 4 KiB' })
  message: string;

  @StringField({ description: 'Signature of the wallet (EIP-191, or what its contract takes, EIP-1271): 0x and hex digits' })
  signature: string;

  @StringField({ description: 'Slug or UUID of the tenant to sign in to', optional: true, maxLength: 64 })
  tenantId?: string;
}

const refused = [
  siweMalformed,
  siweAddressNotEip55,
  siweWrongVersion,
  siweWrongDomain,
  siweWrongUri,
  siweWrongChain,
  siweNotCurrent,
  siweInvalidSignature,
  siweUnknownNonce,
  unknownWallet,
  notAMember,
  walletOfSeveral,
  CHAIN_UNAVAILABLE,
] as const;

/** Specification §5.3. */
@ApiTags('Authentication')
@LimitAs('login')
@Controller('api/v2/auth/siwe')
export class SiweController {
  constructor(private readonly siwe: SignInWithEthereum) {}

  @Get('nonce')
  @Access('public')
  @Header('cache-control', 'no-store')
  @ApiOperation({ summary: 'A nonce for one sign-in message, good for five minutes; a JSON string where the request accepts JSON' })
  @ApiOkResponse({
    description: '17 letters and digits',
    content: { 'text/plain': { schema: { type: 'string' } }, 'application/json': { schema: { type: 'string' } } },
  })
  async nonce(@Headers('accept') accept: string | undefined, @Res({ passthrough: true }) reply: FastifyReply): Promise<string> {
    const nonce = await this.siwe.nonce();
    const asJson = /\bapplication\/json\b/i.test(accept ?? '');
    void reply.type(asJson ? 'application/json; charset=utf-8' : 'text/plain; charset=utf-8');
    return asJson ? JSON.stringify(nonce) : nonce;
  }

  @Post()
  @HttpCode(200)
  @Access('public')
  @ApiOperation({ summary: 'Sign in with a signed message of EIP-4361' })
  @ApiOkResponse({ type: LoginResultView })
  @ApiProblems(...refused)
  signIn(@Body() request: SiweRequest, @Ip() ip: string): Promise<LoginResultView> {
    return this.siwe.signIn(request, ip);
  }
}
