// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {P256} from "@openzeppelin/contracts/utils/cryptography/P256.sol";
import {WebAuthn} from "solady/src/utils/WebAuthn.sol";
import {PasskeyAccount} from "../src/PasskeyAccount.sol";
import {TenantLots} from "../src/TenantLots.sol";
import {PasskeyTest} from "./support/PasskeyTest.sol";
import {vm} from "./support/Vm.sol";

/// Every refusal of the accounts, with its exact data. A new error or a new `revert` in the sources fails this test until it has a row.
contract PasskeyRevertsTest is PasskeyTest {
    /// Errors that only come with the libraries and that these contracts cannot reach.
    string[4] private unreachable = [
        "FailedDeployment", // a second deployment answers before it
        "InsufficientBalance", // clones are made without value
        "InvalidShortString", // the names of the domain are short
        "StringTooLong" // the same
    ];
    mapping(string name => uint256) private rows;

    function test_everyRevertIsReached() public {
        initialisation();
        order();
        calls_();
        assertions();
        keys();
        organisations();
        everyErrorHasRows();
    }

    function initialisation() private {
        PasskeyAccount.Config memory c = config("new", false, key(PHONE));
        row("Forbidden(address)", abi.encode(relayer), abi.encodeCall(account.initialize, (c)));
        address implementation = factory.implementation();
        refuses(implementation, relayer, abi.encodeCall(account.initialize, (c)), because("Forbidden(address)", abi.encode(relayer)));
        bytes memory again = because("AlreadyInitialized()", "");
        refuses(address(account), address(factory), abi.encodeCall(account.initialize, (c)), again);
        ++rows["AlreadyInitialized"];
        c.keys = new PasskeyAccount.Key[](0);
        refuses(address(factory), relayer, abi.encodeCall(factory.deploy, (c)), because("LastKey()", ""));
        ++rows["LastKey"];
        c = config("off", false, PasskeyAccount.Key(bytes32(uint256(1)), bytes32(uint256(1)), RP));
        bytes memory off = because("NotOnCurve(bytes32,bytes32)", abi.encode(1, 1));
        refuses(address(factory), relayer, abi.encodeCall(factory.deploy, (c)), off);
        ++rows["NotOnCurve"];
        // The same point with a coordinate outside the field.
        (uint256 x, uint256 y) = (uint256(key(PHONE).x), uint256(key(PHONE).y));
        c = config("field", false, PasskeyAccount.Key(bytes32(x), bytes32(addWrapping(y, P256.P)), RP));
        require(!deploys(c), "outside the field");
        require(!deploys(config("zero", false, PasskeyAccount.Key(0, 0, RP))), "zero");
    }

    function order() private {
        Batch memory b = minting();
        b.deadline = block.timestamp - 1;
        row("Expired(uint256)", abi.encode(b.deadline), signed(PHONE, b));
        b.deadline = block.timestamp + 601;
        row("DeadlineTooFar(uint256)", abi.encode(b.deadline), signed(PHONE, b));
        b = minting();
        b.lane = 7;
        row("UnknownLane(uint256)", abi.encode(7), signed(PHONE, b));
        row("UnknownLane(uint256)", abi.encode(7), abi.encodeCall(account.nextSequence, (idOf(PHONE), 7)));
        b = minting();
        b.sequence = 1;
        row("WrongSequence(uint256,uint256,uint256)", abi.encode(0, 1, 0), signed(PHONE, b));
        b = minting();
        b.keyId = idOf(STRANGER);
        row("UnknownKey(bytes32)", abi.encode(b.keyId), signed(STRANGER, b));
    }

    function calls_() private {
        row("NoCalls()", "", signed(PHONE, batch(PHONE, new PasskeyAccount.Call[](0))));
        PasskeyAccount.Call[] memory many_ = new PasskeyAccount.Call[](101);
        row("TooManyCalls(uint256)", abi.encode(101), signed(PHONE, batch(PHONE, many_)));
        row("NoCode(uint256,address)", abi.encode(0, outsider), signed(PHONE, batch(PHONE, to(outsider, "hello"))));
        fails(address(lots), abi.encodeCall(lots.ownerOf, (999)), because("UnknownLot(uint256)", abi.encode(999)));
        bytes memory much = new bytes(1024);
        fails(address(this), abi.encodeCall(this.revertWith, (100_000)), much);
    }

    function revertWith(uint256 size) external pure {
        assembly {
            revert(mload(0x40), size)
        }
    }

    function assertions() private {
        Batch memory b = minting();
        bytes memory challenge = abi.encodePacked(digestOf(b));
        string memory invalid = "InvalidAssertion()";
        row(invalid, "", executeCall(PHONE, b, sign(STRANGER, challenge)));
        row(invalid, "", executeCall(PHONE, b, sign(PHONE, challenge, "webauthn.create", RP, 5)));
        row(invalid, "", executeCall(PHONE, b, sign(PHONE, challenge, "webauthn.get", RP, 1)));
        row(invalid, "", executeCall(PHONE, b, sign(PHONE, challenge, "webauthn.get", RP, 4)));
        row(invalid, "", executeCall(PHONE, b, sign(PHONE, challenge, "webauthn.get", RP, 0x15)));
        WebAuthn.WebAuthnAuth memory auth = sign(PHONE, challenge);
        auth.s = bytes32(P256.N - uint256(auth.s));
        row(invalid, "", executeCall(PHONE, b, auth));
        auth = sign(PHONE, challenge);
        auth.authenticatorData = hex"00";
        row(invalid, "", executeCall(PHONE, b, auth));
        PasskeyAccount.Key memory elsewhere = key(PHONE);
        elsewhere.rpIdHash = sha256("evil.example");
        auth = sign(PHONE, challenge, "webauthn.get", elsewhere.rpIdHash, 5);
        row("UnknownKey(bytes32)", abi.encode(keccak256(abi.encode(elsewhere))), executeCall(PHONE, b, auth));
        auth = sign(PHONE, challenge);
        auth.authenticatorData = bytes.concat(bytes32(auth.authenticatorData), hex"05");
        row(invalid, "", executeCall(PHONE, b, auth));
    }

    function keys() private {
        row("Forbidden(address)", abi.encode(relayer), abi.encodeCall(account.addKey, (key(LAPTOP))));
        row("Forbidden(address)", abi.encode(relayer), abi.encodeCall(account.removeKey, (idOf(PHONE))));
        row("Forbidden(address)", abi.encode(relayer), abi.encodeCall(account.proposeRemoval, (idOf(PHONE))));
        row("Forbidden(address)", abi.encode(relayer), abi.encodeCall(account.vetoRemoval, (idOf(PHONE))));
        inside("KeyExists(bytes32)", abi.encode(idOf(PHONE)), abi.encodeCall(account.addKey, (key(PHONE))));
        inside("UnknownKey(bytes32)", abi.encode(idOf(LAPTOP)), abi.encodeCall(account.removeKey, (idOf(LAPTOP))));
        inside("LastKey()", "", abi.encodeCall(account.removeKey, (idOf(PHONE))));
        inside("NotGuarded()", "", abi.encodeCall(account.proposeRemoval, (idOf(PHONE))));
        for (uint256 i = 1; i < 20; ++i) {
            runSelf(PHONE, abi.encodeCall(account.addKey, (key(0x1000 + i))));
        }
        inside("TooManyKeys()", "", abi.encodeCall(account.addKey, (key(LAPTOP))));
    }

    function organisations() private {
        account = PasskeyAccount(factory.deploy(config("mill", true, key(PHONE))));
        runSelf(PHONE, abi.encodeCall(account.addKey, (key(LAPTOP))));
        bytes32 other = idOf(LAPTOP);
        inside("NotProposed(bytes32)", abi.encode(other), abi.encodeCall(account.removeKey, (other)));
        inside("NotProposed(bytes32)", abi.encode(other), abi.encodeCall(account.vetoRemoval, (other)));
        inside("UnknownKey(bytes32)", abi.encode(idOf(STRANGER)), abi.encodeCall(account.proposeRemoval, (idOf(STRANGER))));
        runSelf(PHONE, abi.encodeCall(account.proposeRemoval, (other)));
        bytes memory ready = abi.encode(other, block.timestamp + 7 days);
        inside("RemovalNotReady(bytes32,uint256)", ready, abi.encodeCall(account.removeKey, (other)));
    }

    // --------------------------------------------------------------------------------------------------- the table

    function minting() private returns (Batch memory) {
        return batch(PHONE, mintCall(output(address(account), 5)));
    }

    function row(string memory name, bytes memory args, bytes memory call) private {
        refuses(address(account), relayer, call, because(name, args));
        ++rows[vm.split(name, "(")[0]];
    }

    /// A refusal of the account's own functions, which only its batches call.
    function inside(string memory name, bytes memory args, bytes memory call) private {
        fails(address(account), call, because(name, args));
        ++rows[vm.split(name, "(")[0]];
    }

    function fails(address target, bytes memory call, bytes memory why) private {
        row("CallFailed(uint256,bytes)", abi.encode(0, why), signed(PHONE, batch(PHONE, to(target, call))));
    }

    function because(string memory name, bytes memory args) private pure returns (bytes memory) {
        return abi.encodePacked(bytes4(keccak256(bytes(name))), args);
    }

    function deploys(PasskeyAccount.Config memory c) private returns (bool ok) {
        (ok,) = address(factory).call(abi.encodeCall(factory.deploy, (c)));
    }

    function addWrapping(uint256 a, uint256 b) private pure returns (uint256) {
        unchecked {
            return a + b;
        }
    }

    function everyErrorHasRows() private view {
        string memory sources = string.concat(vm.readFile("src/PasskeyAccount.sol"), vm.readFile("src/PasskeyAccountFactory.sol"));
        require(vm.split(sources, " require(").length == 1, "a revert without a name");
        string memory abis = vm.split(vm.readFile("generated/abi.ts"), "passkeyAccountAbi")[1];
        string[] memory upToErrors = vm.split(abis, "type: 'error'");
        require(upToErrors.length > 20, "no errors in the ABIs");
        for (uint256 i; i < upToErrors.length - 1; ++i) {
            string[] memory names = vm.split(upToErrors[i], "name: '");
            string memory name = vm.split(names[names.length - 1], "'")[0];
            if (isUnreachable(name)) continue;
            require(rows[name] != 0, string.concat(name, " has no row"));
            uint256 statements = vm.split(sources, string.concat("revert ", name, "(")).length - 1;
            require(rows[name] >= statements, string.concat(name, " has fewer rows than revert statements"));
        }
    }

    function isUnreachable(string memory name) private view returns (bool) {
        for (uint256 i; i < unreachable.length; ++i) {
            if (keccak256(bytes(unreachable[i])) == keccak256(bytes(name))) return true;
        }
        return false;
    }
}
