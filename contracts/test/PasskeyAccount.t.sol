// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {IERC1271} from "@openzeppelin/contracts/interfaces/IERC1271.sol";
import {WebAuthn} from "solady/src/utils/WebAuthn.sol";
import {PasskeyAccount} from "../src/PasskeyAccount.sol";
import {TenantLots} from "../src/TenantLots.sol";
import {PasskeyTest} from "./support/PasskeyTest.sol";
import {Vm, vm} from "./support/Vm.sol";

contract PasskeyAccountTest is PasskeyTest {
    /// a receiver that sends what it was given, once
    bytes private inner;

    function test_whatAPersonSignsIsDoneInHerNameAndSheNeedsNoCoins() public {
        uint256 id = lots.nextTokenId();
        Batch memory b = batch(PHONE, mintCall(output(address(account), 5)));
        vm.recordLogs();
        run(signed(PHONE, b));
        Vm.Log[] memory logs = vm.getRecordedLogs();
        equal(lots.custodianOf(id), address(account), "custodian");
        equal(address(account).balance, 0, "coins");
        Vm.Log memory last = logs[logs.length - 1];
        equal(last.emitter, address(account), "who says it");
        equal(last.topics[0], PasskeyAccount.Executed.selector, "Executed");
        equal(last.topics[1], idOf(PHONE), "which key");
        equal(keccak256(last.data), keccak256(abi.encode(uint256(0), uint256(0), digestOf(b))), "lane, sequence, digest");
    }

    function test_aBatchIsDoneWholeOrNotAtAll() public {
        PasskeyAccount.Call[] memory calls = new PasskeyAccount.Call[](100);
        uint256 first = lots.nextTokenId();
        for (uint256 i; i < 100; ++i) {
            calls[i] = PasskeyAccount.Call(address(lots), mintCall(output(address(account), 5)));
        }
        Batch memory b = batch(PHONE, calls);
        b.calls[99].data = useCall(999_999, 1);
        require(!runs(signed(PHONE, b)), "one call fails");
        equal(lots.nextTokenId(), first, "nothing done");
        equal(account.nextSequence(idOf(PHONE), 0), 0, "nothing used up");
        b.calls[99].data = mintCall(output(address(account), 5));
        run(signed(PHONE, b));
        equal(lots.nextTokenId(), first + 100, "all done");
    }

    function test_lanesAreIndependentAndEachHasItsOrder() public {
        for (uint256 lane; lane < 7; ++lane) {
            for (uint256 sequence; sequence < 3; ++sequence) {
                Batch memory b = batch(PHONE, mintCall(output(address(account), 5)));
                (b.lane, b.sequence) = (6 - lane, sequence);
                run(signed(PHONE, b));
                require(!runs(signed(PHONE, b)), "replayed");
            }
        }
        for (uint256 lane; lane < 7; ++lane) {
            equal(account.nextSequence(idOf(PHONE), lane), 3, "three each");
        }
    }

    function test_aCancelledBatchNeverRuns() public {
        Batch memory b = batch(PHONE, mintCall(output(address(account), 5)));
        vm.recordLogs();
        run(cancelCall(PHONE, b));
        equal(vm.getRecordedLogs()[0].topics[0], PasskeyAccount.Cancelled.selector, "Cancelled");
        require(!runs(signed(PHONE, b)), "ran after all");
        require(!runs(cancelCall(PHONE, b)), "cancelled twice");
        run(PHONE, mintCall(output(address(account), 5)));
    }

    function test_whatFailedMayRunUntilItsDeadline() public {
        uint256 id = mint(farm, 5);
        Batch memory b = batch(PHONE, acceptCall(lots.nextOfferNo(), id));
        bytes memory call = signed(PHONE, b);
        require(!runs(call), "nothing offered yet");
        offer(farm, id, address(account));
        vm.warp(b.deadline);
        run(call);
        equal(lots.custodianOf(id), address(account), "accepted");
    }

    // ----------------------------------------------------------------------------------------------------------- keys

    function test_aSecondKeySignsUntilItIsRemoved() public {
        runSelf(PHONE, abi.encodeCall(account.addKey, (key(LAPTOP))));
        equal(account.keyCount(), 2, "two keys");
        run(LAPTOP, mintCall(output(address(account), 5)));
        Batch memory late = batch(LAPTOP, mintCall(output(address(account), 5)));
        runSelf(PHONE, abi.encodeCall(account.removeKey, (idOf(LAPTOP))));
        refusesToRun(signed(LAPTOP, late), abi.encodeWithSelector(PasskeyAccount.UnknownKey.selector, idOf(LAPTOP)));
    }

    function test_aKeyThatIsAddedAgainCountsOn() public {
        runSelf(PHONE, abi.encodeCall(account.addKey, (key(LAPTOP))));
        Batch memory b = batch(LAPTOP, mintCall(output(address(account), 5)));
        run(signed(LAPTOP, b));
        runSelf(PHONE, abi.encodeCall(account.removeKey, (idOf(LAPTOP))));
        runSelf(PHONE, abi.encodeCall(account.addKey, (key(LAPTOP))));
        bytes memory why = abi.encodeWithSelector(PasskeyAccount.WrongSequence.selector, 0, 0, 1);
        refusesToRun(signed(LAPTOP, b), why);
    }

    function test_theSameKeyForAnotherDomainIsAnotherKey() public {
        PasskeyAccount.Key memory elsewhere = key(PHONE);
        elsewhere.rpIdHash = sha256("evil.example");
        Batch memory b = batch(PHONE, mintCall(output(address(account), 5)));
        bytes32 keyId = keccak256(abi.encode(elsewhere));
        b.keyId = keyId;
        WebAuthn.WebAuthnAuth memory auth = sign(PHONE, abi.encodePacked(digestOf(b)), "webauthn.get", elsewhere.rpIdHash, 5);
        bytes memory call = abi.encodeCall(account.execute, (point(PHONE), 0, 0, b.deadline, b.calls, compact(auth)));
        refusesToRun(call, abi.encodeWithSelector(PasskeyAccount.UnknownKey.selector, keyId));
    }

    // -------------------------------------------------------------------------------------------------- organisations

    function test_anotherOwnerIsRemovedAfterSevenDaysWithoutAVeto() public {
        organisation();
        bytes32 other = idOf(LAPTOP);
        bytes memory removal = abi.encodeCall(account.removeKey, (other));
        runSelf(PHONE, abi.encodeCall(account.proposeRemoval, (other)));
        vm.warp(block.timestamp + 7 days - 1);
        require(!runs(signed(PHONE, batch(PHONE, to(address(account), removal)))), "too early");
        vm.warp(block.timestamp + 1);
        runSelf(PHONE, removal);
        require(!account.hasKey(other), "removed");
    }

    function test_anOwnerVetoesAndMayLeaveAtOnce() public {
        organisation();
        bytes32 other = idOf(LAPTOP);
        runSelf(PHONE, abi.encodeCall(account.proposeRemoval, (other)));
        runSelf(LAPTOP, abi.encodeCall(account.vetoRemoval, (other)));
        vm.warp(block.timestamp + 8 days);
        require(!runs(signed(PHONE, batch(PHONE, to(address(account), abi.encodeCall(account.removeKey, (other)))))), "vetoed");
        runSelf(LAPTOP, abi.encodeCall(account.removeKey, (other)));
        require(!account.hasKey(other), "left");
    }

    function test_aMembersEventsAreTheOrganisationsWhileItApprovesHer() public {
        address member = address(account);
        organisation();
        address mill_ = address(account);
        grant(mill_, 0);
        uint256 id = lots.nextTokenId();
        run(LAPTOP, abi.encodeCall(TenantLots.setApprovalForAll, (member, true)));
        account = PasskeyAccount(member);
        run(PHONE, mintCall(output(mill_, 5)));
        run(PHONE, useCall(id, 2));
        equal(lots.custodianOf(id), mill_, "the mill's");
        account = PasskeyAccount(mill_);
        run(LAPTOP, abi.encodeCall(TenantLots.setApprovalForAll, (member, false)));
        account = PasskeyAccount(member);
        require(!runs(signed(PHONE, batch(PHONE, useCall(id, 1)))), "no longer");
    }

    /// Signs as an inner batch of one key inside a batch of another: each is held to its own rights.
    function test_aBatchInsideABatchDoesNotLendItsKey() public {
        organisation();
        Batch memory b = batch(LAPTOP, to(address(account), abi.encodeCall(account.removeKey, (idOf(LAPTOP)))));
        inner = signed(LAPTOP, b);
        PasskeyAccount.Call[] memory calls = new PasskeyAccount.Call[](2);
        calls[0] = PasskeyAccount.Call(address(this), abi.encodeCall(this.reenter, ()));
        calls[1] = PasskeyAccount.Call(address(account), abi.encodeCall(account.addKey, (key(STRANGER))));
        run(signed(PHONE, batch(PHONE, calls)));
        require(!account.hasKey(idOf(LAPTOP)) && account.hasKey(idOf(STRANGER)), "both done");
        inner = signed(PHONE, batchAt(PHONE, 1, to(address(lots), mintCall(output(address(account), 5)))));
        calls[1].data = abi.encodeCall(account.removeKey, (idOf(PHONE)));
        run(signed(STRANGER, batch(STRANGER, to(address(account), abi.encodeCall(account.proposeRemoval, (idOf(PHONE)))))));
        require(!runs(signed(STRANGER, batch(STRANGER, calls))), "the inner signer is not the outer one");
    }

    function reenter() external {
        (bool ok,) = address(account).call(inner);
        require(ok, "inner");
    }

    // ----------------------------------------------------------------------------------------------------- recovery

    function test_everythingFollowsToANewAccountWithoutTheOldKeys() public {
        address old = address(account);
        uint256 recalled = minted();
        uint256 content = minted();
        run(PHONE, packCall(content, old));
        uint256 box = lots.nextTokenId() - 1;
        uint256 incoming = mint(farm, 5);
        uint256 no = offer(farm, incoming, old);
        uint256 outgoing = minted();
        run(PHONE, offerCall(outgoing, mill));
        recall(recalled);
        account = PasskeyAccount(factory.addressOf(config("recovery", false, key(LAPTOP))));
        proposeWallet(admin, old, address(account));
        bytes memory offered = offerCall(mint(farm, 5), address(account));
        refuses(farm, offered, invalidAddress(address(account)));
        factory.deploy(config("recovery", false, key(LAPTOP)));
        bytes memory accept_ = abi.encodeCall(TenantLots.acceptWallet, (old));
        require(!runs(signed(LAPTOP, batch(LAPTOP, accept_))), "seven days");
        vm.warp(block.timestamp + 7 days);
        run(LAPTOP, accept_);
        grant(address(account), OPERATOR_ALL);
        equal(lots.custodianOf(recalled), address(account), "recalled");
        equal(lots.custodianOf(box), address(account), "container");
        equal(lots.custodianOf(content), address(account), "content");
        equal(lots.lotOf(incoming).pendingCustodian, address(account), "incoming");
        run(LAPTOP, acceptCall(no, incoming));
        run(LAPTOP, cancelCall(no + 1, outgoing));
        equal(lots.custodianOf(outgoing), address(account), "outgoing");
    }

    // --------------------------------------------------------------------------------------------------- signatures

    function test_aMessageIsSignedForThisAccountAndChain() public {
        bytes32 hash = keccak256("sign in");
        bytes memory good = signature(PHONE, address(account), hash);
        require(account.isValidSignature(hash, good) == IERC1271.isValidSignature.selector, "valid");
        require(account.isValidSignature(keccak256("other"), good) == 0xffffffff, "another message");
        address other = factory.deploy(config("second", false, key(PHONE)));
        require(PasskeyAccount(other).isValidSignature(hash, good) == 0xffffffff, "another account");
        require(account.isValidSignature(hash, signature(STRANGER, address(account), hash)) == 0xffffffff, "another key");
        require(account.isValidSignature(hash, packed(point(PHONE), sign(PHONE, abi.encodePacked(hash)))) == 0xffffffff, "not wrapped");
        vm.chainId(1);
        require(account.isValidSignature(hash, good) == 0xffffffff, "another chain");
    }

    function test_aBatchIsNoMessageAndALoginNeither() public {
        Batch memory b = batch(PHONE, mintCall(output(address(account), 5)));
        bytes32 digest = digestOf(b);
        bytes memory asMessage = packed(point(PHONE), sign(PHONE, abi.encodePacked(digest)));
        require(account.isValidSignature(digest, asMessage) == 0xffffffff, "a batch");
        // A login's challenge has 48 bytes: whatever they are, they sign no batch.
        bytes memory login = abi.encodePacked(digest, bytes16(0));
        refusesToRun(executeCall(PHONE, b, sign(PHONE, login)), abi.encodeWithSelector(PasskeyAccount.InvalidAssertion.selector));
    }

    function test_malformedSignaturesAreRefusedWithoutARevert(bytes calldata noise) public view {
        require(account.isValidSignature(keccak256("m"), noise) == 0xffffffff, "noise");
        bytes memory good = signature(PHONE, address(account), keccak256("m"));
        uint256 at_ = noise.length * 7 % good.length;
        assembly {
            mstore(good, at_)
        }
        require(account.isValidSignature(keccak256("m"), good) == 0xffffffff, "cut off");
    }

    function test_anAccountThatIsNotDeployedYetSignsIn() public {
        PasskeyAccount.Config memory c = config("later", false, key(LAPTOP));
        address later = factory.addressOf(c);
        bytes32 hash = keccak256("sign in");
        require(factory.checkSignature(c, hash, signature(LAPTOP, later, hash)), "valid");
        require(!factory.checkSignature(c, hash, signature(PHONE, later, hash)), "another key");
    }

    // ------------------------------------------------------------------------------------------------------- factory

    function test_deployingAgainChangesNothing() public {
        run(PHONE, mintCall(output(address(account), 5)));
        address again = factory.deploy(config("first", false, key(PHONE)));
        equal(again, address(account), "the same");
        equal(account.nextSequence(idOf(PHONE), 0), 1, "as it was");
    }

    function test_theAddressCommitsToEverything(bytes32 salt, bytes32 otherSalt, bool guarded) public view {
        address one_ = factory.addressOf(config(salt, guarded, key(PHONE)));
        require(one_ != factory.addressOf(config(salt, !guarded, key(PHONE))), "guarded");
        require(one_ != factory.addressOf(config(salt, guarded, key(LAPTOP))), "key");
        require(salt == otherSalt || one_ != factory.addressOf(config(otherSalt, guarded, key(PHONE))), "salt");
    }

    function test_lotsArriveByErc721() public {
        uint256 id = mint(farm, 5);
        run(PHONE, abi.encodeCall(TenantLots.setDirectReceipt, (true)));
        vm.prank(farm);
        lots.safeTransferFrom(farm, address(account), id);
        equal(lots.ownerOf(id), address(account), "received");
        require(account.supportsInterface(0x01ffc9a7) && account.supportsInterface(0x150b7a02), "says so");
        require(account.supportsInterface(0x1626ba7e) && !account.supportsInterface(0xffffffff), "and no more");
    }

    function organisation() private {
        account = PasskeyAccount(factory.deploy(config("mill", true, key(PHONE))));
        runSelf(PHONE, abi.encodeCall(account.addKey, (key(LAPTOP))));
        grant(address(account), OPERATOR_ALL);
    }

    function batchAt(uint256 secret, uint256 lane, PasskeyAccount.Call[] memory calls) private view returns (Batch memory b) {
        b = batch(secret, calls);
        (b.lane, b.sequence) = (lane, account.nextSequence(idOf(secret), lane));
    }

    function minted() private returns (uint256 id) {
        id = lots.nextTokenId();
        run(PHONE, mintCall(output(address(account), 5)));
    }

    function refusesToRun(bytes memory call, bytes memory why) private {
        refuses(address(account), relayer, call, why);
    }
}
