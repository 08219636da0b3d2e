import { BooleanField, Edits, HasETag, IfMatch, StringField } from '#http';
import { Access, CurrentActor } from '#identity';
import type { Actor, ExpectedState } from '#kernel';
import { UnitOfWork } from '#persistence';
import { Body, Controller, Get, Patch } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ChangeSettings } from './change-settings.js';
import type { PassportSetting } from './passport-setting.js';
import { SettingsQueries } from './settings.queries.js';

/** It is part of headers, codes and links of every passport: ASCII, and nothing that ends any of them. */
const ORIGIN = /^https?:\/\/([A-Za-z0-9.-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(:\d{1,5})?$/;

class PassportSettingsBody {
  @BooleanField({ description: 'Lots of asset types with `passport: true` have public passports', optional: true })
  enabled?: boolean;

  @BooleanField({ description: 'Passports show chain, transaction and data hash, and offer their evidence', optional: true })
  showIntegrity?: boolean;

  @StringField({
    description: '`https://host` that labels and links lead to, in ASCII (`xn--…`); null: the address of the request',
    optional: true,
    nullable: true,
    pattern: ORIGIN,
  })
  resolver?: string | null;
}

class PassportSettingsView {
  @BooleanField({ description: 'Lots of asset types with `passport: true` have public passports' })
  enabled: boolean;

  @BooleanField({ description: 'Passports show chain, transaction and data hash, and offer their evidence' })
  showIntegrity: boolean;

  @StringField({ description: '`https://host` that labels and links lead to; null: the address of the request', nullable: true })
  resolver: string | null;
}

const settingsView = ({ enabled, showIntegrity, resolver }: PassportSetting): PassportSettingsView => ({
  enabled,
  showIntegrity,
  resolver,
});

@ApiTags('Passports')
@Controller('api/v1/passport-settings')
@Access('member')
export class SettingsController {
  constructor(
    private readonly work: UnitOfWork,
    private readonly settings: SettingsQueries,
    private readonly changeSettings: ChangeSettings,
  ) {}

  @Get()
  @ApiOperation({ summary: 'Whether and how the tenant shows passports' })
  @ApiOkResponse({ type: PassportSettingsView })
  @HasETag()
  async show(@CurrentActor() actor: Actor): Promise<PassportSettingsView> {
    return settingsView(await this.work.read(actor, (tx) => this.settings.read(tx)));
  }

  @Patch()
  @Access({ roles: ['TENANT_ADMIN'], everyProcess: true })
  @ApiOperation({
    summary: 'Turn passports on or off; what is absent stays as it is',
    description:
      'Every lot of an asset type with `passport: true` gets a passport when the event that made it is final, including lots that are there already.',
  })
  @ApiOkResponse({ type: PassportSettingsView })
  @HasETag()
  @Edits()
  async change(
    @CurrentActor() actor: Actor,
    @Body() body: PassportSettingsBody,
    @IfMatch() expected: ExpectedState,
  ): Promise<PassportSettingsView> {
    return settingsView(await this.changeSettings.change(actor, body, expected));
  }
}
