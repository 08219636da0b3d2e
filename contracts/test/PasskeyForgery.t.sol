// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {P256} from "@openzeppelin/contracts/utils/cryptography/P256.sol";
import {P256 as SoladyP256} from "solady/src/utils/P256.sol";
import {WebAuthn} from "solady/src/utils/WebAuthn.sol";
import {PasskeyAccount} from "../src/PasskeyAccount.sol";
import {PasskeyTest} from "./support/PasskeyTest.sol";
import {vm} from "./support/Vm.sol";

/// Forged assertions, none of which is accepted: 5,256, and 1,008,500 with FOUNDRY_PROFILE=long (contracts/README.md). Each is one
/// that would be accepted, but for one thing; the batch that they imitate is accepted afterwards, once.
contract PasskeyForgeryTest is PasskeyTest {
    uint256 private constant EACH = 20;
    uint256 private constant KINDS = 17;
    address private constant PRECOMPILE = address(0x100);

    /// forge-config: long.fuzz.runs = 50000
    function test_noForgedAssertionIsAccepted(uint256 seed) public {
        forgeries(seed, EACH);
    }

    /// forge-config: default.fuzz.runs = 8
    /// forge-config: long.fuzz.runs = 500
    function test_norOnAChainWithoutThePrecompile(uint256 seed) public {
        vm.mockCall(PRECOMPILE, "", "");
        require(!SoladyP256.hasPrecompile(), "the precompile answers");
        forgeries(seed, KINDS);
    }

    function forgeries(uint256 seed, uint256 count) private {
        Batch memory good = batch(PHONE, mintCall(output(address(account), 5)));
        good.lane = seed % 7;
        WebAuthn.WebAuthnAuth memory auth = sign(PHONE, abi.encodePacked(digestOf(good)));
        for (uint256 i; i < count; ++i) {
            uint256 random = uint256(keccak256(abi.encode(seed, i)));
            uint256 memoryEnd;
            assembly {
                memoryEnd := mload(0x40)
            }
            forge(good, auth, random >> 8, i % KINDS);
            // Nothing of a forgery is kept, or memory would end.
            assembly {
                mstore(0x40, memoryEnd)
            }
        }
        run(executeCall(PHONE, good, auth));
        refuses(
            address(account),
            relayer,
            executeCall(PHONE, good, auth),
            abi.encodeWithSelector(PasskeyAccount.WrongSequence.selector, good.lane, 0, 1)
        );
    }

    function forge(Batch memory good, WebAuthn.WebAuthnAuth memory valid, uint256 random, uint256 kind) private {
        Batch memory b = copy(good);
        WebAuthn.WebAuthnAuth memory a = abi.decode(abi.encode(valid), (WebAuthn.WebAuthnAuth));
        if (kind < 6) {
            // Signed for something else, sent as this.
            Batch memory other = copy(good);
            if (kind == 0) other.chain ^= 1 + random % 1e9;
            if (kind == 1) other.account = address(uint160(random));
            if (kind == 2) other.keyId = bytes32(random);
            if (kind == 3) other.lane = (other.lane + 1 + random % 6) % 7;
            if (kind == 4) other.sequence += 1 + random % 1e9;
            if (kind == 5) other.calls[0].to = address(uint160(random));
            a = sign(PHONE, abi.encodePacked(digestOf(other)));
        } else if (kind == 6) {
            b.calls[0].data[random % b.calls[0].data.length] ^= bytes1(uint8(1 + (random >> 64) % 255));
        } else if (kind == 7) {
            b.deadline -= 1 + random % 600;
        } else if (kind == 8) {
            a.s = bytes32(P256.N - uint256(a.s));
        } else if (kind == 9) {
            a = sign(1 + random % (P256.N - 1), abi.encodePacked(digestOf(good)));
        } else if (kind == 10) {
            a = sign(PHONE, abi.encodePacked(digestOf(good)), random % 2 == 0 ? "webauthn.create" : "payment.get", RP, 5);
        } else if (kind == 11) {
            a = sign(PHONE, abi.encodePacked(digestOf(good)), "webauthn.get", RP, uint8(random & ~uint256(4 >> (random & 2))));
            if (uint8(a.authenticatorData[32]) & 5 == 5 && uint8(a.authenticatorData[32]) & 0x18 != 0x10) return;
        } else if (kind == 12) {
            a = sign(PHONE, abi.encodePacked(digestOf(good)), "webauthn.get", bytes32(random), 5);
        } else if (kind == 13) {
            (a.r, a.s) = (bytes32(random), bytes32(uint256(keccak256(abi.encode(random)))));
        } else if (kind == 14) {
            bytes memory text = bytes(a.clientDataJSON);
            text[random % text.length] ^= bytes1(uint8(1 + (random >> 64) % 255));
            a.clientDataJSON = string(text);
        } else if (kind == 15) {
            b.deadline = block.timestamp - 1 - random % 1e9;
            a = sign(PHONE, abi.encodePacked(digestOf(b)));
        } else {
            bytes16 tail = bytes16(uint128(random));
            a = sign(PHONE, abi.encodePacked(digestOf(good), tail));
        }
        require(!runs(executeCall(PHONE, b, a)), string.concat("accepted a forgery of kind ", vm.toString(kind)));
    }

    function copy(Batch memory b) private pure returns (Batch memory) {
        return abi.decode(abi.encode(b), (Batch));
    }
}
