/** One answer as a real node or provider gives it. */
export interface NodeAnswer {
  /** A public report of this answer, or the code or documentation that makes it. */
  readonly source: string;
  readonly method: 'eth_estimateGas' | 'eth_getLogs';
  /** HTTP status; default 200. */
  readonly status?: number;
  /** A JSON-RPC error, or a whole body as text. */
  readonly error: { readonly code: number; readonly message: string; readonly data?: unknown } | string;
  readonly fault: 'caller' | 'node';
}

const REVERT_DATA = `0x08c379a0${'20'.padStart(64, '0')}${'5'.padStart(64, '0')}${Buffer.from('wrong').toString('hex').padEnd(64, '0')}`;
type Row = readonly [source: string, code: number, message: string, data?: unknown];
const rows = (fault: NodeAnswer['fault'], method: NodeAnswer['method'], list: readonly Row[]): NodeAnswer[] =>
  list.map(([source, code, message, data]) => ({ source, method, error: { code, message, ...(data !== undefined && { data }) }, fault }));

const REVERTS: readonly Row[] = [
  ['geth, as quoted in neonevm/proxy-model.py #487', 3, 'execution reverted: Dai/insufficient-balance', REVERT_DATA],
  ['geth without a reason', 3, 'execution reverted', '0x'],
  ['0xPolygon/zkevm-node #2026', -32_000, 'execution reverted: aaaa'],
  ['a contract whose own sentence sounds like a provider', -32_000, 'execution reverted: rate limit exceeded'],
  ['hyperledger/besu RpcErrorType REVERT_ERROR', -32_000, 'Execution reverted', REVERT_DATA],
  ['hyperledger/besu RpcErrorType EXECUTION_HALTED', -32_000, 'Transaction processing could not be completed due to an exception'],
  ['NethermindEth/nethermind #4761', -32_015, 'revert'],
  ['graphprotocol/graph-node call_helper, parity', -32_015, 'VM execution error.', `Reverted ${REVERT_DATA}`],
  ['graphprotocol/graph-node call_helper, parity', -32_015, 'VM execution error.', 'Bad instruction fe'],
  ['graphprotocol/graph-node call_helper, ganache', -32_000, 'VM Exception while processing transaction: revert'],
  ['graphprotocol/graph-node call_helper, geth', -32_000, 'invalid opcode: INVALID'],
  ['graphprotocol/graph-node call_helper, geth', -32_000, 'stack limit reached 1024 (1023)'],
  ['graphprotocol/graph-node call_helper, geth', -32_000, 'invalid jump destination'],
  ['graphprotocol/graph-node call_helper, geth', -32_000, 'out of gas'],
  ['hardhat', -32_603, "Error: VM Exception while processing transaction: reverted with reason string 'wrong'", { data: REVERT_DATA }],
  [
    'hiero-ledger/hiero-json-rpc-relay #493',
    -32_603,
    'execution reverted: Set to revert',
    { originalError: { code: 3, data: REVERT_DATA } },
  ],
  ['hiero-ledger/hiero-json-rpc-relay #1738', -32_008, '[Request ID: 4f43afe1] execution reverted: Unable to parse JSON', ''],
  ['anvil 1.x, a loop in the contract', -32_603, 'EVM error OutOfGas'],
  ['anvil 1.x, eth_estimateGas', -32_003, 'Out of gas: gas required exceeds allowance: 30000000'],
];

const INVALID: readonly Row[] = [
  ['geth, core/error.go', -32_000, 'insufficient funds for gas * price + value: address 0x00 have 0 want 252000002265890'],
  ['NethermindEth/nethermind #11175, geth', -32_003, 'insufficient funds for gas * price + value: address 0x00 have 0 want 25'],
  ['NethermindEth/nethermind #11188', -32_000, 'insufficient sender balance'],
  ['NethermindEth/nethermind #11179', -32_000, 'insufficient MaxFeePerGas for sender balance'],
  ['NethermindEth/nethermind #11122, geth', -32_000, 'gas required exceeds allowance (351)'],
  ['NethermindEth/nethermind #11768', -32_000, 'intrinsic gas too low: have 1000, want 22490'],
  ['hyperledger/besu RpcErrorType', -32_004, 'Upfront cost exceeds account balance'],
  ['hyperledger/besu RpcErrorType', -32_001, 'Nonce too low'],
  ['hyperledger/besu RpcErrorType', -32_000, 'Replacement transaction underpriced'],
  ['hyperledger/besu RpcErrorType', -32_009, 'Gas price below current base fee'],
  ['hyperledger/firefly-evmconnect error_mapping', -32_000, 'nonce too low'],
  ['hyperledger/firefly-evmconnect error_mapping', -32_000, 'known transaction: 0xdf'],
  ['anvil 1.x', -32_003, 'nonce too low'],
  ['anvil 1.x, an address that is too short', -32_602, 'invalid string length'],
  ['geth, rpc/json.go', -32_602, 'invalid argument 0: hex string has length 38, want 40 for common.Address'],
  ['geth, rpc/json.go', -32_602, 'missing value for required argument 0'],
  ['ethers-io/ethers.js #1352, Fantom', -32_602, 'missing value for required argument 1'],
];

const NODES: readonly Row[] = [
  ['nblockchain/geewallet #142', -32_000, 'header not found'],
  ['ethereum/go-ethereum #20874', -32_000, 'missing trie node ef7df5d88cb1614dc3f143879a653cd90717ee42e967c5fabbcd7505a968f314 (path )'],
  ['graphprotocol/graph-node #2202', -32_000, 'missing trie node 14c74d67d39dbe84685e19da8b38bd539c055f37438ce2e (path )'],
  ['paradigmxyz/reth #11234', -32_001, 'unknown block number'],
  ['a gateway without a node', -32_000, 'no backend available'],
  ['0xPolygon/bor #322', -32_000, 'required historical state unavailable (reexec=128)'],
  ['geth, triedb/pathdb', -32_000, "state histories haven't been fully indexed yet"],
  ['ethereum/go-ethereum #21717', -32_000, 'execution aborted (timeout = 5s)'],
  ['ethereum/go-ethereum #19196', -32_000, 'context deadline exceeded'],
  [
    'openethereum/openethereum #178',
    -32_000,
    'This request is not supported because your node is running with state pruning. Run with --pruning=archive.',
  ],
  ['foundry-rs/foundry #4843, anvil', -32_602, 'BlockOutOfRangeError: block height is 23 but requested was 21'],
  ['foundry-rs/foundry #4094, anvil', -32_603, 'Fork Error: JsonRpcClientError(SerdeJson { err: Error("missing field `v`") })'],
  ['paradigmxyz/reth #4092', -32_603, 'State at block #11052984 is pruned'],
  ['paradigmxyz/reth #22874', 4_444, 'pruned history unavailable'],
  ['erigontech/erigon #2770', -32_000, 'block not found 11185311'],
  ['NethermindEth/nethermind #2336', -32_603, 'Internal error', 'Nethermind.Trie.TrieException: Node is missing from the DB'],
  ['hyperledger/besu RpcErrorType', -32_000, 'World state unavailable'],
  ['hyperledger/besu RpcErrorType', -32_008, 'Initial sync is still in progress'],
  ['hyperledger/besu RpcErrorType', -32_603, 'Timeout expired'],
  ['hyperledger/besu RpcErrorType', -40_100, 'Unauthorized'],
  ['hyperledger/besu RpcErrorType', -32_005, 'Number of requests exceeds max batch size'],
  ['a node behind a load balancer', -32_000, 'node is syncing'],
  ['hemilabs/heminetwork #491, proxyd', -32_011, 'no backend is currently healthy to serve traffic'],
  ['ethereum-optimism/infra #41, proxyd', -32_011, 'no backend is available'],
  ['ethereum-optimism/infra proxyd', -32_012, 'backend is over capacity'],
  ['ethereum-optimism/infra proxyd', -32_013, 'backend returned an invalid response'],
  ['ethereum-optimism/infra proxyd', -32_015, 'gateway timeout'],
  ['ethereum-optimism/infra proxyd', -32_016, 'over rate limit'],
  ['ethereum-optimism/infra proxyd', -32_601, 'rpc method is not whitelisted'],
  [
    'Infura, JSON-RPC reference',
    -32_005,
    'project ID request rate exceeded',
    { current_rps: 13.333, allowed_rps: 10, backoff_seconds: 30 },
  ],
  ['Infura, JSON-RPC reference', -32_005, 'daily request count exceeded, request rate limited'],
  ['ensdomains/ui #5, Infura', -32_002, 'rejected due to project ID settings'],
  ['ethers-io/ethers.js #715, Infura', -32_002, 'project ID does not have access to archive state', { see: 'https://infura.io/dashboard' }],
  [
    'wevm/viem #3680, Alchemy',
    429,
    'Your app has exceeded its compute units per second capacity. If you have retries enabled, you can ignore this.',
  ],
  ['erpc/erpc #442, Alchemy', -32_005, 'Monthly capacity limit exceeded. Visit https://dashboard.alchemy.com/settings/billing'],
  ['EspressoSystems/espresso-network #4838, Alchemy', -32_600, 'App is inactive'],
  ['Alchemy with a wrong key', -32_600, 'Must be authenticated!'],
  ['latticexyz/mud #1522, QuickNode', -32_012, 'credits limited to 6000/sec'],
  ['QuickNode, as in EspressoSystems/espresso-network #4838', -32_007, '25/second request limit reached - reduce calls per second'],
  ['chainstack/dev-portal #288', -32_005, "You've exceeded the RPS limit available on the current plan.", { try_again_in: '753.9ms' }],
  ['Ankr, BitteProtocol/near-ca #173', -32_000, 'Unauthorized: You must authenticate your request with an API key.'],
  ['wevm/viem #3476, Ankr', -32_052, 'API key is not allowed to access blockchain'],
  ['Ankr, error reference', -32_055, 'No nodes available', { trace_id: '4b1f' }],
  ['Ankr, per-chain quirks', -32_061, 'No archive nodes available'],
  ['wevm/viem #3159, Cloudflare', -32_603, 'Internal error'],
  ['enviodev/hyperindex #715, dRPC', 30, 'Request timeout on the free tier, please upgrade your tier to the paid one'],
  ['reown-com/blockchain-api #1102, TheRPC', -32_029, 'Too Many Requests'],
  ['reown-com/blockchain-api #1164', -32_000, 'no matched providers found'],
  ['Goldsky, error codes', -32_015, 'Upstream node timed out'],
  ['JSON-RPC 2.0', -32_601, 'the method eth_estimateGas does not exist/is not available'],
];

/** Refused because of their size: fewer blocks are requested (hyperledger/firefly-evmconnect #9). */
const RANGES: readonly Row[] = [
  ['hyperledger/firefly-evmconnect #9', -32_000, 'exceed maximum block range: 5000'],
  ['boundless-xyz/boundless #838, Alchemy', -32_600, 'You can make eth_getLogs requests with up to a 500 block range.'],
  ['INFURA/infura #237', -32_602, 'range 1000000 exceeds limit of 10000'],
  ['Infura, eth_getLogs', -32_005, 'query returned more than 10000 results'],
  ['paradigmxyz/reth #8558', -32_602, 'query exceeds max block range 5000'],
  ['hyperledger/besu RpcErrorType', -32_005, 'Requested range exceeds maximum RPC range limit'],
  ['MASQ-Project/MASQ-Node-issues #585', -32_005, 'eth_getLogs block range too large, range: 855077, max: 3500'],
  ['ponder-sh/ponder #1362, Llama', -32_600, 'eth_getLogs range is too large, max is 10k blocks'],
  ['enviodev/hyperindex #605, Morph', -32_000, 'block range is larger than max block range, block range = 5120, max block range = 5000'],
  ['QuickNode', -32_614, 'eth_getLogs is limited to a 10,000 range'],
  ['dRPC', 35, 'ranges over 10000 blocks are not supported on freetier'],
  [
    'ponder-sh/ponder getLogsRetryHelper, Chainstack',
    -32_000,
    'Block range limit exceeded. See more details at https://docs.chainstack.com',
  ],
  ['ponder-sh/ponder getLogsRetryHelper, Ankr', -32_600, 'block range is too wide'],
  ['ponder-sh/ponder getLogsRetryHelper, Avalanche', -32_000, 'requested too many blocks from 1 to 5000, maximum is set to 2048'],
  ['ponder-sh/ponder getLogsRetryHelper, Coinbase', -32_602, 'please limit the query to at most 1,000 blocks'],
  ['ponder-sh/ponder getLogsRetryHelper, Optimism', -32_020, 'backend response too large'],
];

const BODIES: readonly (readonly [source: string, status: number, body: string])[] = [
  ['graphprotocol/indexer #145, Infura', 401, 'invalid project id\n'],
  ['Alchemy with a wrong key', 401, '{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"Must be authenticated!"}}'],
  [
    'lontivero/Explora #2, Ankr',
    403,
    '{"jsonrpc":"2.0","error":{"code":-32000,"message":"Unauthorized: You must authenticate"},"id":null}',
  ],
  [
    'okx/xlayer-erigon #434',
    503,
    '{"jsonrpc":"2.0","error":{"code":-32011,"message":"no backend is currently healthy to serve traffic"},"id":9863}',
  ],
  ['enviodev/hyperindex #715, dRPC', 402, 'Payment Required'],
  ['a gateway with a bare sentence', 200, '{"jsonrpc":"2.0","id":null,"error":"unauthorized"}'],
  ['a proxy', 502, '<html>Bad gateway</html>'],
  ['a login page', 200, '<!doctype html><title>Sign in</title>'],
  ['smartbch/smartbch #67, onflow/flow-evm-gateway #695: null', 200, '{"jsonrpc":"2.0","id":1,"result":null}'],
  ['an array for a number', 200, '{"jsonrpc":"2.0","id":1,"result":[]}'],
  ['a number for text', 200, '{"jsonrpc":"2.0","id":1,"result":21000}'],
  ['nothing', 200, '{"jsonrpc":"2.0","id":1}'],
];

export const NODE_ANSWERS: readonly NodeAnswer[] = [
  ...rows('caller', 'eth_estimateGas', [...REVERTS, ...INVALID]),
  ...rows('node', 'eth_estimateGas', NODES),
  ...rows('caller', 'eth_getLogs', RANGES),
  // What is the caller's fault in a call is the node's in a question that the service asks by itself.
  ...rows('node', 'eth_getLogs', [
    ['infura, as a node error', -32_005, 'project ID request rate exceeded'],
    ['JSON-RPC 2.0', -32_602, 'Invalid params'],
    ['erigontech/erigon #2770', -32_000, 'block not found 11185311'],
    ['joshstevens19/rindexer #327, Scroll', -32_001, 'Unable to complete request at this time.'],
    ['go-ethereum, an orphaned block hash', -32_000, 'unknown block'],
  ]),
  ...BODIES.map(([source, status, error]): NodeAnswer => ({ source, method: 'eth_estimateGas', status, error, fault: 'node' })),
  { source: 'onflow/flow-evm-gateway #695', method: 'eth_getLogs', error: '{"jsonrpc":"2.0","id":1,"result":null}', fault: 'node' },
  {
    source: 'ethers-io/ethers.js #843',
    method: 'eth_getLogs',
    error: '{"jsonrpc":"2.0","id":1,"result":[{"topics":null}]}',
    fault: 'node',
  },
];
