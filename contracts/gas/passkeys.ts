import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import {
  AbiCoder,
  Interface,
  type JsonRpcProvider,
  TypedDataEncoder,
  ZeroHash,
  concat,
  getBytes,
  hexlify,
  keccak256,
  toBeHex,
} from 'ethers';
import { passkeyAccountAbi, passkeyAccountFactoryAbi } from '../generated/abi.js';
import { passkeyAccountFactoryBytecode } from '../generated/bytecode.js';
import type { Measurement } from './measurement.js';
import { OPERATOR_ALL, type TenantContract, transact } from './tenant-contract.js';

const account = new Interface(passkeyAccountAbi);
const factory = new Interface(passkeyAccountFactoryAbi);
/** Half the order of P-256: a signature has a twin above it, which the account refuses. */
const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
const rpIdHash = createHash('sha256').update('trace.example').digest();

/** Calls signed by a passkey and sent by somebody else, next to the same calls of a plain wallet. */
export async function passkeys(tenant: TenantContract, provider: JsonRpcProvider, farm: string, sender: string): Promise<Measurement[]> {
  const { account: signer, gas } = await deploy(tenant, provider, sender);
  const first = await signer.mint(1);
  const one = await signer.mint(1);
  const twenty = await signer.mint(20);
  const plain = (await tenant.record(farm, [], [], tenant.outputs(1, farm))).gas;
  const further = Math.round((twenty - one) / 19 - (plain - 21_000));
  return [
    { operation: 'deploy PasskeyAccountFactory, with the account behind the clones', gas: gas.factory },
    { operation: 'deploy a passkey account', gas: gas.account },
    { operation: 'mint 1 with a passkey, the first call', gas: first },
    { operation: 'mint 1 with a passkey', gas: one },
    { operation: 'mint 1 with a passkey, more than with a plain wallet', gas: one - plain },
    { operation: 'mint 1, 20 times in one batch with a passkey', gas: twenty, perLot: Math.round(twenty / 20) },
    { operation: 'the same, each further call more than with a plain wallet (without its 21,000)', gas: further },
  ];
}

async function deploy(tenant: TenantContract, provider: JsonRpcProvider, sender: string) {
  const made = await transact(provider, sender, null, passkeyAccountFactoryBytecode);
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  const key = [Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url'), rpIdHash].map((part) => hexlify(part));
  const config = [ZeroHash, false, [key]];
  const to = made.contractAddress ?? '';
  const answer = await provider.call({ to, data: factory.encodeFunctionData('addressOf', [config]) });
  const address = factory.decodeFunctionResult('addressOf', answer)[0] as string;
  const deployed = await transact(provider, sender, to, factory.encodeFunctionData('deploy', [config]));
  await tenant.send(tenant.accounts[0] ?? '', 'setRoles', [address, OPERATOR_ALL]);
  const pem = privateKey.export({ format: 'pem', type: 'pkcs8' }) as string;
  const signer = new PasskeySender(tenant, provider, { address, key, pem, sender });
  return { account: signer, gas: { factory: Number(made.gasUsed), account: Number(deployed.gasUsed) } };
}

interface Account {
  readonly address: string;
  readonly key: readonly string[];
  readonly pem: string;
  readonly sender: string;
}

class PasskeySender {
  private sequence = 0n;

  constructor(
    private readonly tenant: TenantContract,
    private readonly provider: JsonRpcProvider,
    private readonly passkey: Account,
  ) {}

  /** Mints a lot in each of so many calls of one batch. @returns the gas used */
  async mint(count: number): Promise<number> {
    const { address, key, pem, sender } = this.passkey;
    const { timestamp } = (await this.provider.getBlock('latest'))!;
    const calls = Array.from({ length: count }, () => ({ to: this.tenant.address, data: this.tenant.minting(1, address) }));
    const message = { keyId: keyIdOf(key), lane: 0, sequence: this.sequence++, deadline: timestamp + 300, calls };
    const { chainId } = await this.provider.getNetwork();
    const domain = { name: 'PasskeyAccount', version: '1', chainId, verifyingContract: address };
    const assertion = assert(TypedDataEncoder.hash(domain, types, message), pem);
    const args = [key.slice(0, 2), 0, message.sequence, message.deadline, calls.map(({ to, data }) => [to, data]), assertion];
    const receipt = await transact(this.provider, sender, address, account.encodeFunctionData('execute', args));
    this.tenant.skipIds(count);
    return Number(receipt.gasUsed);
  }
}

/** On a chain without the precompile of EIP-7951, where the account computes the curve itself. */
export function withoutPrecompile(rows: readonly Measurement[]): Measurement[] {
  const { gas } = rows.find(({ operation }) => operation === 'mint 1 with a passkey')!;
  return [{ operation: 'mint 1 with a passkey, without the precompile of EIP-7951', gas }];
}

const types = {
  Execute: [
    { name: 'keyId', type: 'bytes32' },
    { name: 'lane', type: 'uint256' },
    { name: 'sequence', type: 'uint256' },
    { name: 'deadline', type: 'uint256' },
    { name: 'calls', type: 'Call[]' },
  ],
  Call: [
    { name: 'to', type: 'address' },
    { name: 'data', type: 'bytes' },
  ],
};

function keyIdOf(key: readonly string[]): string {
  return keccak256(AbiCoder.defaultAbiCoder().encode(['bytes32', 'bytes32', 'bytes32'], key));
}

/** As a browser's authenticator makes it, in the compact form of the account. */
function assert(digest: string, privateKey: string) {
  const challenge = Buffer.from(getBytes(digest)).toString('base64url');
  const clientDataJSON = `{"type":"webauthn.get","challenge":"${challenge}","origin":"https://trace.example","crossOrigin":false}`;
  const authenticatorData = Buffer.concat([rpIdHash, Buffer.from([5, 0, 0, 0, 0])]);
  const signed = Buffer.concat([authenticatorData, createHash('sha256').update(clientDataJSON).digest()]);
  const signature = sign('sha256', signed, { key: privateKey, dsaEncoding: 'ieee-p1363' });
  const s = BigInt(hexlify(signature.subarray(32)));
  const short = (value: number): string => toBeHex(value, 2);
  return concat([
    ...[short(authenticatorData.length), authenticatorData, Buffer.from(clientDataJSON), short(23), short(1)],
    ...[signature.subarray(0, 32), toBeHex(s > order / 2n ? order - s : s, 32)],
  ]);
}
