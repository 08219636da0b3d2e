import { IntegerField, StringField } from '#http';
import { ApiProperty } from '@nestjs/swagger';

export class ChainView {
  @IntegerField({ description: 'EIP-155 chain id' })
  chainId: number;

  @StringField({ description: 'Where to send signed transactions; null when the operator does not say', nullable: true })
  rpcUrl: string | null;

  @StringField({ description: 'EIP-55 address of the registry of tenants', nullable: true })
  registry: string | null;

  @StringField({
    description: 'EIP-55 address of the factory of passkey accounts; null when the operator has deployed none',
    nullable: true,
  })
  accountFactory: string | null;

  @StringField({ description: "EIP-55 address of the tenant's contract; null until its creation has landed", nullable: true })
  contract: string | null;

  @IntegerField({ description: "Version of the tenant's contract", nullable: true })
  contractVersion: number | null;

  @ApiProperty({ type: 'array', items: { type: 'object' }, description: "ABI of the tenant's contract" })
  abi: readonly object[];

  @IntegerField({ description: 'Blocks, its own included, after which a transaction is final' })
  confirmations: number;

  @StringField({ description: 'Page of a transaction, with `{tx}` in the place of its hash', nullable: true })
  explorerUrl: string | null;
}
