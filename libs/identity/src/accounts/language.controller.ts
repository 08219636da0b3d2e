import { Body, Controller, HttpCode, Put } from '@nestjs/common';
import { ApiNoContentResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Access, ApiProblems, INVALID_CONTENT } from '#http';
import { CurrentBearer } from '../access/principal.guard.js';
import type { BearerPrincipal } from '../access/principal.js';
import { bearerRequired, invalidToken, partialToken, tokenExpired, unauthenticated } from '../errors.js';
import { ChangeLanguage } from './change-language.js';
import { LanguageChoice } from './language.dto.js';

@ApiTags('Authentication')
@Controller('api/v2/auth/language')
export class LanguageController {
  constructor(private readonly languages: ChangeLanguage) {}

  @Put()
  @HttpCode(204)
  @Access({ bearerOnly: true })
  @ApiOperation({ operationId: 'chooseLanguage', summary: 'Choose the language of mails to you; `me` shows it' })
  @ApiNoContentResponse({ description: 'Kept' })
  @ApiProblems(unauthenticated, invalidToken, tokenExpired, bearerRequired, partialToken, INVALID_CONTENT)
  choose(@CurrentBearer() caller: BearerPrincipal, @Body() { language }: LanguageChoice): Promise<void> {
    return this.languages.change(caller, language);
  }
}
