// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {Base64} from "@openzeppelin/contracts/utils/Base64.sol";
import {P256} from "@openzeppelin/contracts/utils/cryptography/P256.sol";
import {WebAuthn} from "solady/src/utils/WebAuthn.sol";
import {PasskeyAccount} from "../../src/PasskeyAccount.sol";
import {PasskeyAccountFactory} from "../../src/PasskeyAccountFactory.sol";
import {TenantTest} from "./TenantTest.sol";
import {vm} from "./Vm.sol";

/// People with passkeys: their authenticators sign here as a browser's do. The digests are built from the standards, not by the contract.
abstract contract PasskeyTest is TenantTest {
    bytes32 internal constant RP = sha256("trace.example");
    uint256 internal constant PHONE = 0xA11CE;
    uint256 internal constant LAPTOP = 0x1A9;
    uint256 internal constant STRANGER = 0xBAD;
    /// sends what others signed, and has no right to anything
    address internal constant relayer = address(0x5E4D);

    bytes32 private constant CALL_TYPE = keccak256("Call(address to,bytes data)");
    bytes32 private constant EXECUTE_TYPE =
        keccak256("Execute(bytes32 keyId,uint256 lane,uint256 sequence,uint256 deadline,Call[] calls)Call(address to,bytes data)");

    PasskeyAccountFactory internal factory;
    PasskeyAccount internal account;

    struct Batch {
        address account;
        uint256 chain;
        bytes32 keyId;
        uint256 lane;
        uint256 sequence;
        uint256 deadline;
        PasskeyAccount.Call[] calls;
    }

    function setUp() public virtual override {
        super.setUp();
        vm.warp(1_800_000_000);
        factory = new PasskeyAccountFactory();
        account = PasskeyAccount(factory.deploy(config("first", false, key(PHONE))));
        grant(address(account), OPERATOR_ALL);
    }

    // -------------------------------------------------------------------------------------------------- authenticator

    function key(uint256 secret) internal pure returns (PasskeyAccount.Key memory) {
        (uint256 x, uint256 y) = vm.publicKeyP256(secret);
        return PasskeyAccount.Key(bytes32(x), bytes32(y), RP);
    }

    function point(uint256 secret) internal pure returns (PasskeyAccount.Point memory) {
        PasskeyAccount.Key memory k = key(secret);
        return PasskeyAccount.Point(k.x, k.y);
    }

    function idOf(uint256 secret) internal pure returns (bytes32) {
        return keccak256(abi.encode(key(secret)));
    }

    function sign(uint256 secret, bytes memory challenge) internal pure returns (WebAuthn.WebAuthnAuth memory) {
        return sign(secret, challenge, "webauthn.get", RP, 0x05);
    }

    function sign(uint256 secret, bytes memory challenge, string memory kind, bytes32 rpIdHash, uint8 flags)
        internal
        pure
        returns (WebAuthn.WebAuthnAuth memory auth)
    {
        auth.authenticatorData = abi.encodePacked(rpIdHash, flags, uint32(0));
        auth.clientDataJSON = string.concat(
            '{"type":"', kind, '","challenge":"', Base64.encodeURL(challenge), '","origin":"https://trace.example","crossOrigin":false}'
        );
        auth.typeIndex = 1;
        auth.challengeIndex = bytes(kind).length + 11;
        (auth.r, auth.s) = vm.signP256(secret, sha256(abi.encodePacked(auth.authenticatorData, sha256(bytes(auth.clientDataJSON)))));
        if (uint256(auth.s) > P256.N / 2) auth.s = bytes32(P256.N - uint256(auth.s));
    }

    // -------------------------------------------------------------------------------------------------------- batches

    function batch(uint256 secret, PasskeyAccount.Call[] memory calls) internal view returns (Batch memory) {
        bytes32 keyId = idOf(secret);
        return Batch(address(account), block.chainid, keyId, 0, account.nextSequence(keyId, 0), block.timestamp + 600, calls);
    }

    function batch(uint256 secret, bytes memory data) internal view returns (Batch memory) {
        return batch(secret, to(address(lots), data));
    }

    function digestOf(Batch memory b) internal pure returns (bytes32) {
        bytes memory hashes;
        for (uint256 i; i < b.calls.length; ++i) {
            hashes = abi.encodePacked(hashes, keccak256(abi.encode(CALL_TYPE, b.calls[i].to, keccak256(b.calls[i].data))));
        }
        bytes32 structHash = keccak256(abi.encode(EXECUTE_TYPE, b.keyId, b.lane, b.sequence, b.deadline, keccak256(hashes)));
        return typed(b.account, b.chain, structHash);
    }

    function typed(address verifier, uint256 chain, bytes32 structHash) internal pure returns (bytes32) {
        bytes32 domainType = keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)");
        bytes32 domain = keccak256(abi.encode(domainType, keccak256("PasskeyAccount"), keccak256("1"), chain, verifier));
        return keccak256(abi.encodePacked(hex"1901", domain, structHash));
    }

    function signed(uint256 secret, Batch memory b) internal pure returns (bytes memory) {
        return executeCall(secret, b, sign(secret, abi.encodePacked(digestOf(b))));
    }

    function executeCall(uint256 secret, Batch memory b, WebAuthn.WebAuthnAuth memory auth) internal pure returns (bytes memory) {
        return abi.encodeCall(PasskeyAccount.execute, (point(secret), b.lane, b.sequence, b.deadline, b.calls, compact(auth)));
    }

    function cancelCall(uint256 secret, Batch memory b) internal pure returns (bytes memory) {
        bytes32 kind = keccak256("Cancel(bytes32 keyId,uint256 lane,uint256 sequence,uint256 deadline)");
        bytes32 digest = typed(b.account, b.chain, keccak256(abi.encode(kind, b.keyId, b.lane, b.sequence, b.deadline)));
        bytes memory assertion = compact(sign(secret, abi.encodePacked(digest)));
        return abi.encodeCall(PasskeyAccount.cancel, (point(secret), b.lane, b.sequence, b.deadline, assertion));
    }

    function run(bytes memory call) internal {
        vm.prank(relayer);
        (bool ok, bytes memory why) = address(account).call(call);
        require(ok, string.concat("refused: ", vm.toString(why)));
    }

    /// The person signs these calls and somebody else sends them.
    function run(uint256 secret, bytes memory data) internal {
        run(signed(secret, batch(secret, data)));
    }

    function runSelf(uint256 secret, bytes memory data) internal {
        run(signed(secret, batch(secret, to(address(account), data))));
    }

    function runs(bytes memory call) internal returns (bool ok) {
        vm.prank(relayer);
        (ok,) = address(account).call(call);
    }

    function to(address target, bytes memory data) internal pure returns (PasskeyAccount.Call[] memory calls) {
        calls = new PasskeyAccount.Call[](1);
        calls[0] = PasskeyAccount.Call(target, data);
    }

    function config(bytes32 salt, bool guarded, PasskeyAccount.Key memory first) internal pure returns (PasskeyAccount.Config memory c) {
        c.salt = salt;
        c.guarded = guarded;
        c.keys = new PasskeyAccount.Key[](1);
        c.keys[0] = first;
    }

    function signature(uint256 secret, address verifier, bytes32 hash) internal view returns (bytes memory) {
        bytes32 structHash = keccak256(abi.encode(keccak256("Message(bytes32 hash)"), hash));
        WebAuthn.WebAuthnAuth memory auth = sign(secret, abi.encodePacked(typed(verifier, block.chainid, structHash)));
        return packed(point(secret), auth);
    }

    function packed(PasskeyAccount.Point memory p, WebAuthn.WebAuthnAuth memory a) internal pure returns (bytes memory) {
        return abi.encodePacked(p.x, p.y, compact(a));
    }

    /// Written here as the accounts' documentation says, not by the library that reads it.
    function compact(WebAuthn.WebAuthnAuth memory a) internal pure returns (bytes memory) {
        bytes memory start = abi.encodePacked(uint16(a.authenticatorData.length), a.authenticatorData, a.clientDataJSON);
        return abi.encodePacked(start, uint16(a.challengeIndex), uint16(a.typeIndex), a.r, a.s);
    }
}
