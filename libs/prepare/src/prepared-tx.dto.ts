import { IntegerField, StringField } from '#http';

/** The unsigned transaction of the docs/spec/service.md#prepared-transaction. */
export class PreparedTxView {
  @StringField({ description: "The tenant's contract" })
  to: string;

  @StringField({ description: 'Calldata, hexadecimal' })
  data: string;

  @IntegerField({ description: 'Estimated gas of the call; of an account of passkeys with what the account takes itself' })
  gasEstimate: number;

  @IntegerField({ description: 'EIP-155 chain id' })
  chainId: number;
}

/** Advice that accompanies `preparedTx` but is not part of it (docs/spec/api.md#conventions). Wei amounts are decimal strings. */
export class HintsView {
  @StringField({ description: 'Address of the signer', nullable: true })
  from: string | null;

  @IntegerField({ description: 'Next nonce of the sender', nullable: true })
  nonce: number | null;

  @StringField({ description: 'EIP-1559, wei', nullable: true })
  maxFeePerGas: string | null;

  @StringField({ description: 'EIP-1559, wei', nullable: true })
  maxPriorityFeePerGas: string | null;

  @StringField({ description: 'For POST /api/v1/tx/relay; only when the sender is an account of passkeys', optional: true, format: 'uuid' })
  preparedId?: string;
}
