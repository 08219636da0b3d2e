import { IntegerField, StringField } from '../fields.js';

/** The unsigned transaction of the specification, §2.6. */
export class PreparedTxView {
  @StringField({ description: "The tenant's contract" })
  to: string;

  @StringField({ description: 'Calldata, hexadecimal' })
  data: string;

  @IntegerField({ description: 'Gas the call needs as the chain stands' })
  gasEstimate: number;

  @IntegerField({ description: 'EIP-155 chain id' })
  chainId: number;
}

/** Advice beside `preparedTx`, never inside it (api-decisions §1). Wei amounts are decimal strings. */
export class HintsView {
  @StringField({ description: 'Who is to sign', nullable: true })
  from: string | null;

  @IntegerField({ description: 'Next nonce of the sender', nullable: true })
  nonce: number | null;

  @StringField({ description: 'EIP-1559, wei', nullable: true })
  maxFeePerGas: string | null;

  @StringField({ description: 'EIP-1559, wei', nullable: true })
  maxPriorityFeePerGas: string | null;
}
