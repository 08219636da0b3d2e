// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IERC1271} from "@openzeppelin/contracts/interfaces/IERC1271.sol";
import {IERC721Receiver} from "@openzeppelin/contracts/token/ERC721/IERC721Receiver.sol";
import {P256} from "@openzeppelin/contracts/utils/cryptography/P256.sol";
import {WebAuthn as PortableWebAuthn} from "@openzeppelin/contracts/utils/cryptography/WebAuthn.sol";
import {IERC165} from "@openzeppelin/contracts/utils/introspection/IERC165.sol";
import {EIP712} from "solady/src/utils/EIP712.sol";
import {WebAuthn} from "solady/src/utils/WebAuthn.sol";

/// @title A wallet whose keys are passkeys
/// @notice Anybody may send what a key of the account has signed, and pays for it. The account holds no coins and sends none.
/// @dev Runs behind an EIP-1167 clone that PasskeyAccountFactory makes and initialises in one transaction; without a proxy admin. A signature
/// covers the chain, this account, the key, a place in the key's order, a deadline and every call. Checked here: the relying party, presence
/// and verification of the user, a low `s`. Not checked here, because only the browser and the service can: origin and signature counter.
contract PasskeyAccount is EIP712, IERC1271, IERC721Receiver, IERC165 {
    /// A passkey: a point of P-256, and the SHA-256 of the domain that it was made for. The hash of the three words is its id. Calls bring the
    /// point along: reading one word of storage is cheaper than reading three.
    struct Key {
        bytes32 x;
        bytes32 y;
        bytes32 rpIdHash;
    }

    /// The point of a key. Which key it is, the relying party in the assertion says: a call need not bring it twice.
    struct Point {
        bytes32 x;
        bytes32 y;
    }

    struct Call {
        address to;
        bytes data;
    }

    /// What an account is made from; its address commits to all of it.
    struct Config {
        bytes32 salt;
        /// in an organisation's account: a key removes another one only after REMOVAL_DELAY without a veto
        bool guarded;
        Key[] keys;
    }

    // None of them is public: each function more makes every call dearer.
    /// Each key counts its batches in lanes 0 to 6, so that several can be on their way at once.
    uint256 private constant LANES = 7;
    uint256 private constant MAX_CALLS = 100;
    uint256 private constant MAX_KEYS = 20;
    /// How far ahead a deadline may be: what a reverted batch can still do is over after that.
    uint256 private constant MAX_LIFETIME = 10 minutes;
    uint256 private constant REMOVAL_DELAY = 7 days;
    /// Of the data that a failed call reverted with; the sender pays for copying it.
    uint256 private constant MAX_REVERT_DATA = 1024;

    bytes1 private constant BACKUP_FLAGS = 0x18;
    bytes1 private constant BACKED_UP_ALTHOUGH_NOT_ELIGIBLE = 0x10;

    bytes32 private constant CALL_TYPE = keccak256("Call(address to,bytes data)");
    bytes32 private constant EXECUTE_TYPE = keccak256(
        "Execute(bytes32 keyId,uint256 lane,uint256 sequence,uint256 deadline,Call[] calls)Call(address to,bytes data)"
    );
    bytes32 private constant CANCEL_TYPE = keccak256("Cancel(bytes32 keyId,uint256 lane,uint256 sequence,uint256 deadline)");
    bytes32 private constant MESSAGE_TYPE = keccak256("Message(bytes32 hash)");

    address private immutable FACTORY = msg.sender;

    /// @notice How many keys sign for the account; 0 = not initialised.
    uint8 public keyCount;
    /// @notice Whether removing another key has to wait.
    bool public guarded;
    /// Bit 0: the key signs. From bit 32: the next sequence of each lane, 32 bits each. They outlive the key's removal, or what it had signed
    /// could be sent again after it is added again.
    mapping(bytes32 keyId => uint256) private _keys;
    /// @notice When a key may be removed by another one, in seconds since the epoch; 0 = nobody has proposed it.
    mapping(bytes32 keyId => uint256) public removableAt;
    /// The key that signed the call that the account makes to itself.
    bytes32 private transient _signer;

    /// @notice A batch has run. Its calls are those of the transaction; `digest` is what the key signed.
    event Executed(bytes32 indexed keyId, uint256 lane, uint256 sequence, bytes32 digest);
    /// @notice A place in the order was used up without a batch.
    event Cancelled(bytes32 indexed keyId, uint256 lane, uint256 sequence);
    event KeyAdded(bytes32 indexed keyId, bytes32 x, bytes32 y, bytes32 rpIdHash);
    event KeyRemoved(bytes32 indexed keyId);
    event RemovalProposed(bytes32 indexed keyId, bytes32 indexed by, uint256 removableAt);
    event RemovalVetoed(bytes32 indexed keyId, bytes32 indexed by);

    error AlreadyInitialized();
    /// Only the factory initialises; only a batch of the account itself changes its keys.
    error Forbidden(address caller);
    error NotOnCurve(bytes32 x, bytes32 y);
    error KeyExists(bytes32 keyId);
    /// Also of a passkey that signed for another domain.
    error UnknownKey(bytes32 keyId);
    error TooManyKeys();
    /// An account without a key would be lost.
    error LastKey();
    error Expired(uint256 deadline);
    error DeadlineTooFar(uint256 deadline);
    error UnknownLane(uint256 lane);
    /// The lane's next batch is `expected`: this one has been sent, or one before it has not.
    error WrongSequence(uint256 lane, uint256 given, uint256 expected);
    error NoCalls();
    error TooManyCalls(uint256 given);
    /// Not what this key signed; or nobody was present or verified.
    error InvalidAssertion();
    error NoCode(uint256 index, address to);
    /// @param reason the first 1,024 bytes of what the call reverted with
    error CallFailed(uint256 index, bytes reason);
    error NotGuarded();
    error NotProposed(bytes32 keyId);
    error RemovalNotReady(bytes32 keyId, uint256 removableAt);

    modifier onlySelf() {
        if (msg.sender != address(this)) revert Forbidden(msg.sender);
        _;
    }

    /// @dev For the factory, once. The implementation itself is never initialised.
    function initialize(Config calldata config) external {
        if (msg.sender != FACTORY) revert Forbidden(msg.sender);
        if (keyCount != 0) revert AlreadyInitialized();
        if (config.keys.length == 0) revert LastKey();
        guarded = config.guarded;
        for (uint256 i; i < config.keys.length; ++i) {
            _addKey(config.keys[i]);
        }
    }

    // ------------------------------------------------------------------------------------------------------ batches

    /// @notice Runs a batch that a key has signed: all of its calls, or none. Anybody may send it.
    /// @param sequence the lane's next one; it is used up before the first call
    /// @param deadline seconds since the epoch, at most MAX_LIFETIME ahead
    /// @param assertion the key's, in solady's compact form (`WebAuthn.tryEncodeAuthCompact`)
    /// @dev A batch that fails uses nothing up: it may be sent again until the deadline, unless `cancel` is sent first.
    function execute(
        Point calldata point,
        uint256 lane,
        uint256 sequence,
        uint256 deadline,
        Call[] calldata calls,
        bytes calldata assertion
    ) external {
        if (calls.length == 0) revert NoCalls();
        if (calls.length > MAX_CALLS) revert TooManyCalls(calls.length);
        WebAuthn.WebAuthnAuth memory auth = WebAuthn.tryDecodeAuthCompactCalldata(assertion);
        if (!_isComplete(auth)) revert InvalidAssertion();
        bytes32 keyId = _signedBy(point, auth);
        _advance(keyId, lane, sequence, deadline);
        bytes32 digest = _hashTypedData(keccak256(abi.encode(EXECUTE_TYPE, keyId, lane, sequence, deadline, _hashCalls(calls))));
        if (!_isSigned(point, digest, auth)) revert InvalidAssertion();
        for (uint256 i; i < calls.length; ++i) {
            Call calldata call = calls[i];
            // Before each of them: a batch inside this one may have left its own signer.
            if (call.to == address(this)) _signer = keyId;
            _call(i, call.to, call.data);
        }
        emit Executed(keyId, lane, sequence, digest);
    }

    /// @notice Uses up a place in a lane, so that a batch that was signed for it can never run. Anybody may send it.
    function cancel(Point calldata point, uint256 lane, uint256 sequence, uint256 deadline, bytes calldata assertion) external {
        WebAuthn.WebAuthnAuth memory auth = WebAuthn.tryDecodeAuthCompactCalldata(assertion);
        if (!_isComplete(auth)) revert InvalidAssertion();
        bytes32 keyId = _signedBy(point, auth);
        _advance(keyId, lane, sequence, deadline);
        bytes32 digest = _hashTypedData(keccak256(abi.encode(CANCEL_TYPE, keyId, lane, sequence, deadline)));
        if (!_isSigned(point, digest, auth)) revert InvalidAssertion();
        emit Cancelled(keyId, lane, sequence);
    }

    function _advance(bytes32 keyId, uint256 lane, uint256 sequence, uint256 deadline) private {
        if (block.timestamp > deadline) revert Expired(deadline);
        if (deadline > block.timestamp + MAX_LIFETIME) revert DeadlineTooFar(deadline);
        if (lane >= LANES) revert UnknownLane(lane);
        uint256 word = _keys[keyId];
        if (word & 1 == 0) revert UnknownKey(keyId);
        uint256 next = _sequence(word, lane);
        // The last sequence is never used: the next lane begins after it.
        if (sequence != next || next == type(uint32).max) revert WrongSequence(lane, sequence, next);
        unchecked {
            _keys[keyId] = word + (1 << (32 * (lane + 1)));
        }
    }

    /// @param lane below LANES
    function _sequence(uint256 word, uint256 lane) private pure returns (uint256) {
        unchecked {
            return uint32(word >> (32 * (lane + 1)));
        }
    }

    function _hashCalls(Call[] calldata calls) private pure returns (bytes32 hash) {
        bytes32[] memory hashes = new bytes32[](calls.length);
        bytes32 callType = CALL_TYPE;
        for (uint256 i; i < calls.length; ++i) {
            Call calldata call = calls[i];
            (address to, bytes calldata data) = (call.to, call.data);
            assembly ("memory-safe") {
                let at_ := mload(0x40)
                calldatacopy(at_, data.offset, data.length)
                let dataHash := keccak256(at_, data.length)
                mstore(at_, callType)
                mstore(add(at_, 32), to)
                mstore(add(at_, 64), dataHash)
                mstore(add(add(hashes, 32), shl(5, i)), keccak256(at_, 96))
            }
        }
        assembly ("memory-safe") {
            hash := keccak256(add(hashes, 32), shl(5, mload(hashes)))
        }
    }

    /// Relying party, flags and counter are there. The libraries compare the flags; solady's accepts two that contradict each other.
    function _isComplete(WebAuthn.WebAuthnAuth memory auth) private pure returns (bool) {
        return auth.authenticatorData.length > 36 && auth.authenticatorData[32] & BACKUP_FLAGS != BACKED_UP_ALTHOUGH_NOT_ELIGIBLE;
    }

    /// The key of this point for the relying party of a complete assertion. If the account has it, the relying party is the right one.
    function _signedBy(Point calldata point, WebAuthn.WebAuthnAuth memory auth) private pure returns (bytes32) {
        return keccak256(abi.encode(point.x, point.y, bytes32(auth.authenticatorData)));
    }

    function _isSigned(Point calldata point, bytes32 digest, WebAuthn.WebAuthnAuth memory auth) private view returns (bool) {
        bytes memory challenge = abi.encodePacked(digest);
        if (WebAuthn.verify(challenge, true, auth, point.x, point.y)) return true;
        // On a chain without the precompile, solady asks a contract that few chains have. OpenZeppelin's code brings the curve along.
        PortableWebAuthn.WebAuthnAuth memory portable = PortableWebAuthn.WebAuthnAuth(
            auth.r, auth.s, auth.challengeIndex, auth.typeIndex, auth.authenticatorData, auth.clientDataJSON
        );
        return PortableWebAuthn.verify(challenge, portable, point.x, point.y);
    }

    function _call(uint256 index, address to, bytes calldata data) private {
        if (to.code.length == 0) revert NoCode(index, to);
        bool ok;
        assembly ("memory-safe") {
            let at_ := mload(0x40)
            calldatacopy(at_, data.offset, data.length)
            ok := call(gas(), to, 0, at_, data.length, 0, 0)
        }
        if (ok) return;
        bytes memory reason;
        assembly ("memory-safe") {
            let size := returndatasize()
            if gt(size, MAX_REVERT_DATA) { size := MAX_REVERT_DATA }
            reason := mload(0x40)
            mstore(reason, size)
            returndatacopy(add(reason, 32), 0, size)
            mstore(0x40, add(reason, and(add(size, 63), not(31))))
        }
        revert CallFailed(index, reason);
    }

    // --------------------------------------------------------------------------------------------------------- keys

    /// @notice Lets another passkey sign for the account.
    function addKey(Key calldata key) external onlySelf {
        _addKey(key);
    }

    /// @notice Ends a key's right to sign. Never the last one. In a guarded account another key than the signer's needs a proposal that
    /// nobody has vetoed for REMOVAL_DELAY.
    function removeKey(bytes32 keyId) external onlySelf {
        _requireKey(keyId);
        if (keyCount == 1) revert LastKey();
        if (guarded && keyId != _signer) {
            uint256 ready = removableAt[keyId];
            if (ready == 0) revert NotProposed(keyId);
            if (block.timestamp < ready) revert RemovalNotReady(keyId, ready);
        }
        delete removableAt[keyId];
        _keys[keyId] ^= 1;
        --keyCount;
        emit KeyRemoved(keyId);
    }

    /// @notice Announces that another owner's key is to be removed.
    function proposeRemoval(bytes32 keyId) external onlySelf {
        if (!guarded) revert NotGuarded();
        _requireKey(keyId);
        uint256 ready = block.timestamp + REMOVAL_DELAY;
        removableAt[keyId] = ready;
        emit RemovalProposed(keyId, _signer, ready);
    }

    /// @notice Ends a proposal; every owner may.
    function vetoRemoval(bytes32 keyId) external onlySelf {
        if (removableAt[keyId] == 0) revert NotProposed(keyId);
        delete removableAt[keyId];
        emit RemovalVetoed(keyId, _signer);
    }

    function _addKey(Key calldata key) private {
        if (!P256.isValidPublicKey(key.x, key.y)) revert NotOnCurve(key.x, key.y);
        bytes32 keyId = keccak256(abi.encode(key));
        if (_keys[keyId] & 1 != 0) revert KeyExists(keyId);
        if (keyCount == MAX_KEYS) revert TooManyKeys();
        _keys[keyId] |= 1;
        ++keyCount;
        emit KeyAdded(keyId, key.x, key.y, key.rpIdHash);
    }

    function _requireKey(bytes32 keyId) private view {
        if (!hasKey(keyId)) revert UnknownKey(keyId);
    }

    function hasKey(bytes32 keyId) public view returns (bool) {
        return _keys[keyId] & 1 != 0;
    }

    /// @notice The sequence that the next batch of a lane must have.
    function nextSequence(bytes32 keyId, uint256 lane) external view returns (uint256) {
        if (lane >= LANES) revert UnknownLane(lane);
        return _sequence(_keys[keyId], lane);
    }

    // ---------------------------------------------------------------------------------------------------- signatures

    /// EIP-712.
    function _domainNameAndVersion() internal pure override returns (string memory, string memory) {
        return ("PasskeyAccount", "1");
    }

    /// @notice ERC-1271, for Sign-In with Ethereum.
    /// @param signature the point of a key (x, y), then its assertion over `messageDigest(hash)` in solady's compact form
    function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4) {
        bytes4 refused = 0xffffffff;
        if (signature.length < 64) return refused;
        Point calldata point;
        assembly ("memory-safe") {
            point := signature.offset
        }
        WebAuthn.WebAuthnAuth memory auth = WebAuthn.tryDecodeAuthCompactCalldata(signature[64:]);
        if (!_isComplete(auth) || !hasKey(_signedBy(point, auth))) return refused;
        return _isSigned(point, messageDigest(hash), auth) ? IERC1271.isValidSignature.selector : refused;
    }

    /// @notice What a key signs for a message with this hash: it is good for this account and chain only.
    function messageDigest(bytes32 hash) public view returns (bytes32) {
        return _hashTypedData(keccak256(abi.encode(MESSAGE_TYPE, hash)));
    }

    // ------------------------------------------------------------------------------------------------------ receivers

    function onERC721Received(address, address, uint256, bytes calldata) external pure returns (bytes4) {
        return IERC721Receiver.onERC721Received.selector;
    }

    function supportsInterface(bytes4 id) external pure returns (bool) {
        return id == type(IERC165).interfaceId || id == type(IERC721Receiver).interfaceId || id == type(IERC1271).interfaceId;
    }
}
