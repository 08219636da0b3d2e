// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {TenantLots} from "../src/TenantLots.sol";
import {TenantTest} from "./support/TenantTest.sol";
import {Vm, vm} from "./support/Vm.sol";

contract WalletsTest is TenantTest {
    address private constant fresher = address(0xF1);
    address private constant third = address(0xF2);

    function test_everythingFollowsToTheNewWallet() public {
        uint256 lot = mint(farm, 5);
        uint256 content = mint(farm, 5);
        uint256 box = pack(farm, content);
        uint256 freed = mint(farm, 5);
        unpack(farm, pack(farm, freed));
        uint256 incoming = mint(mill, 5);
        uint256 no = offer(mill, incoming, farm);
        move(farm, fresher);
        equal(lots.custodianOf(lot), fresher, "lot");
        equal(lots.ownerOf(lot), fresher, "owner");
        equal(lots.custodianOf(box), fresher, "container");
        equal(lots.custodianOf(content), fresher, "content");
        equal(lots.custodianOf(freed), fresher, "content of a broken container");
        equal(lots.lotOf(incoming).pendingCustodian, fresher, "open offer");
        equal(lots.balanceOf(fresher), 3, "balance");
        equal(lots.balanceOf(farm), 0, "old balance");
        accept(fresher, no, incoming);
        lots.settle(one(freed));
        equal(lots.ownerOf(freed), fresher, "settled at the new wallet");
    }

    function test_theOldWalletKeepsNothing() public {
        uint256 id = mint(farm, 5);
        move(farm, fresher);
        refuses(farm, offerCall(id, mill), notCustodian(id, farm));
        refuses(farm, useCall(id, 1), notAuthorized(farm, PROCESS));
        refuses(farm, retireCall(id, ALL, SOLD), notCustodian(id, farm));
        refuses(farm, acceptWalletCall(farm), notAuthorized(farm, 0));
    }

    function test_theNewWalletGetsItsRolesInALog() public {
        mint(farm, 5);
        proposeWallet(farm, farm, fresher);
        vm.recordLogs();
        acceptWallet(fresher, farm);
        Vm.Log[] memory logs = vm.getRecordedLogs();
        equal(logs.length, 2, "RolesChanged, WalletMoved");
        equal(logs[0].topics[0], TenantLots.RolesChanged.selector, "RolesChanged");
        equal(logs[0].topics[1], bytes32(uint256(uint160(farm))), "of the old wallet");
        equal(keccak256(logs[0].data), keccak256(abi.encode(0)), "to none");
        equal(lots.accountOf(farm).roles, 0, "old");
        equal(lots.accountOf(fresher).roles, 0, "new");
    }

    function test_anAdminsOldWalletStaysAdmin() public {
        mint(admin, 5);
        move(admin, fresher);
        equal(lots.accountOf(admin).roles, 1, "so that there is always one");
    }

    function test_approvalsStayWithTheOldWallet() public {
        uint256 id = mint(farm, 5);
        approve(farm, id, outsider);
        approveAll(farm, shop, true);
        directReceipt(outsider, true);
        move(farm, fresher);
        equal(lots.getApproved(id), address(0), "single");
        refuses(outsider, transferCall(fresher, outsider, id), notCustodian(id, outsider));
        refuses(shop, offerCall(id, mill), notCustodian(id, shop));
    }

    function test_theCustodianMovesAtOnce() public {
        mint(farm, 5);
        proposeWallet(farm, farm, fresher);
        acceptWallet(fresher, farm);
        equal(lots.balanceOf(fresher), 1, "moved");
    }

    function test_anAdminsProposalWaitsAWeek() public {
        uint256 id = mint(farm, 5);
        proposeWallet(admin, farm, fresher);
        vm.warp(block.timestamp + 7 days - 1);
        refuses(fresher, acceptWalletCall(farm), notAuthorized(fresher, 0));
        vm.warp(block.timestamp + 1);
        acceptWallet(fresher, farm);
        equal(lots.custodianOf(id), fresher, "recovered");
    }

    function test_aWalletWithRecalledLotsMovesWithAnAdminsConsentOnly() public {
        uint256 id = mint(farm, 5);
        proposeWallet(farm, farm, fresher);
        recall(id);
        refuses(fresher, acceptWalletCall(farm), holdsRecalled(farm, 1));
        grant(fresher, RETURNS);
        acceptWallet(fresher, farm);
        equal(lots.custodianOf(id), fresher, "with RETURNS");
        proposeWallet(fresher, fresher, third);
        refuses(third, acceptWalletCall(fresher), holdsRecalled(fresher, 1));
        proposeWallet(admin, fresher, third);
        vm.warp(block.timestamp + 7 days);
        acceptWallet(third, fresher);
        equal(lots.custodianOf(id), third, "as an admin proposed");
    }

    function test_anAdminsConsentIsToOnePairOnly() public {
        recall(mint(farm, 5));
        proposeWallet(admin, farm, fresher);
        vm.warp(block.timestamp + 7 days);
        proposeWallet(farm, farm, third);
        refuses(third, acceptWalletCall(farm), holdsRecalled(farm, 1));
        proposeWallet(farm, farm, fresher);
        refuses(fresher, acceptWalletCall(farm), holdsRecalled(farm, 1));
    }

    function test_aWalletIsFreeAgainWhenItsRecalledLotsAreGone() public {
        uint256 disposed = mint(farm, 5);
        uint256 returned = mint(farm, 5);
        uint256 lifted = mint(farm, 5);
        uint256 consumed = mint(farm, 5);
        use(farm, consumed, ALL);
        recall(disposed);
        recall(returned);
        recall(lifted);
        recall(consumed);
        proposeWallet(farm, farm, fresher);
        refuses(fresher, acceptWalletCall(farm), holdsRecalled(farm, 3));
        retire(farm, disposed, 2, DISPOSED);
        refuses(fresher, acceptWalletCall(farm), holdsRecalled(farm, 3));
        retire(farm, disposed, ALL, DISPOSED);
        handOver(farm, returned, recycler);
        refuses(fresher, acceptWalletCall(farm), holdsRecalled(farm, 1));
        liftRecall(lifted);
        acceptWallet(fresher, farm);
        equal(lots.barredHeld(lots.accountOf(recycler).party), 1, "at the recycler");
    }

    function test_aLotThatAVoidBringsBackIsCountedAgain() public {
        uint256 id = mint(farm, 5);
        TenantLots.Header memory h = recordWithHeader(farm, one(id), one(ALL), nothing());
        recall(id);
        equal(lots.barredHeld(lots.accountOf(farm).party), 0, "used up");
        undo(farm, h, one(id), one(5), nothing());
        equal(lots.barredHeld(lots.accountOf(farm).party), 1, "back");
    }

    function test_containersCountOnceAndTheirContentsWhenTheyAreBroken() public {
        uint256 a = mint(farm, 5);
        uint256 b = mint(farm, 5);
        uint256 inner = pack(farm, two(a, b));
        uint256 outer = pack(farm, inner);
        uint256 party = lots.accountOf(farm).party;
        recall(a);
        recall(b);
        equal(lots.barredHeld(party), 1, "the outer container");
        unpack(farm, outer);
        equal(lots.barredHeld(party), 1, "the inner container");
        unpack(farm, inner);
        equal(lots.barredHeld(party), 2, "both lots, before they are settled");
        proposeWallet(farm, farm, fresher);
        refuses(fresher, acceptWalletCall(farm), holdsRecalled(farm, 2));
        lots.settle(two(a, b));
        liftRecall(a);
        liftRecall(b);
        equal(lots.barredHeld(party), 0, "lifted");
        uint256 box = pack(farm, a);
        recall(box);
        unpack(farm, box);
        equal(lots.barredHeld(party), 0, "a recalled container whose contents are not");
        acceptWallet(fresher, farm);
    }

    function test_noWalletMovesDuringAPause() public {
        uint256 id = mint(farm, 5);
        pauseFor(1 days);
        proposeWallet(farm, farm, fresher);
        refuses(fresher, acceptWalletCall(farm), abi.encodeWithSelector(TenantLots.IsPaused.selector, block.timestamp + 1 days));
        equal(lots.custodianOf(id), farm, "stays");
        vm.prank(farm);
        lots.vetoWallet();
    }

    function test_theCustodianVetoes() public {
        mint(farm, 5);
        proposeWallet(admin, farm, fresher);
        vm.prank(farm);
        lots.vetoWallet();
        vm.warp(block.timestamp + 8 days);
        refuses(fresher, acceptWalletCall(farm), notAuthorized(fresher, 0));
    }

    function test_onlyTheProposedWalletAccepts() public {
        mint(farm, 5);
        proposeWallet(farm, farm, fresher);
        refuses(outsider, acceptWalletCall(farm), notAuthorized(outsider, 0));
        refuses(farm, acceptWalletCall(farm), notAuthorized(farm, 0));
    }

    function test_aPartyCannotTakeOverAnother() public {
        mint(farm, 5);
        mint(mill, 5);
        refuses(farm, proposeCall(farm, mill), invalidAddress(mill));
        refuses(farm, proposeCall(farm, farm), invalidAddress(farm));
        proposeWallet(farm, farm, fresher);
        mint(mill, 5);
        offer(mill, 2, fresher);
        refuses(fresher, acceptWalletCall(farm), invalidAddress(fresher));
    }

    function test_theZeroAddressAndTheContractAreNoWallets() public {
        mint(farm, 5);
        refuses(farm, proposeCall(farm, address(0)), invalidAddress(address(0)));
        refuses(farm, proposeCall(farm, address(lots)), invalidAddress(address(lots)));
    }

    function test_whoNeverHeldAnythingHasNothingToMove() public {
        refuses(admin, proposeCall(outsider, fresher), invalidAddress(outsider));
        refuses(outsider, proposeCall(outsider, fresher), invalidAddress(outsider));
    }

    /// Otherwise any holder of one lot could keep a lost wallet lost, by offering that lot to each address an admin proposes.
    function test_nobodyCanSpoilAnAdminsProposalByMakingTheNewWalletAParty() public {
        mint(farm, 5);
        uint256 bait = mint(mill, 5);
        proposeWallet(admin, farm, fresher);
        refuses(mill, offerCall(bait, fresher), invalidAddress(fresher));
        refuses(mill, mintCall(output(fresher, 1)), invalidAddress(fresher));
        refuses(mill, transferCall(mill, fresher, bait), invalidAddress(fresher));
        refuses(fresher, abi.encodeCall(TenantLots.setDirectReceipt, (true)), invalidAddress(fresher));
        equal(lots.accountOf(fresher).party, 0, "not a party");
        vm.warp(block.timestamp + 7 days);
        acceptWallet(fresher, farm);
        equal(lots.balanceOf(fresher), 1, "moved");
        offer(mill, bait, fresher);
    }

    function test_theNewWalletIsFreeAgainAfterAVetoOrAnotherProposal() public {
        mint(farm, 5);
        proposeWallet(admin, farm, fresher);
        vm.prank(farm);
        lots.vetoWallet();
        offer(mill, mint(mill, 5), fresher);
        proposeWallet(admin, farm, third);
        proposeWallet(admin, farm, address(0xF3));
        offer(mill, mint(mill, 5), third);
    }

    function test_anAdminMayRenewItsProposal() public {
        mint(farm, 5);
        proposeWallet(admin, farm, fresher);
        vm.warp(block.timestamp + 6 days);
        proposeWallet(admin, farm, fresher);
        vm.warp(block.timestamp + 6 days);
        refuses(fresher, acceptWalletCall(farm), notAuthorized(fresher, 0));
    }

    function test_aProposedWalletIsNotProposedForAnotherCustodian() public {
        mint(farm, 5);
        mint(mill, 5);
        proposeWallet(mill, mill, fresher);
        proposeWallet(admin, farm, fresher);
        refuses(shop, proposeCall(shop, fresher), invalidAddress(shop));
        refuses(fresher, acceptWalletCall(mill), invalidAddress(fresher));
        proposeWallet(mill, mill, third);
        refuses(mill, offerCall(2, fresher), invalidAddress(fresher));
        refuses(admin, proposeCall(fresher, third), invalidAddress(fresher));
    }

    function test_aWalletThatWasLeftStartsAgainAsANewPartyOnly() public {
        uint256 id = mint(farm, 5);
        uint32 party = lots.accountOf(farm).party;
        move(farm, fresher);
        equal(lots.accountOf(farm).party, 0, "no party");
        refuses(farm, proposeCall(farm, third), invalidAddress(farm));
        refuses(fresher, proposeCall(fresher, farm), invalidAddress(farm));
        handOver(fresher, id, farm);
        require(lots.accountOf(farm).party != party, "another number");
        equal(lots.custodianOf(id), farm, "custodian");
        equal(lots.balanceOf(farm), 1, "balance");
        refuses(fresher, proposeCall(fresher, farm), invalidAddress(farm));
    }

    function holdsRecalled(address from, uint256 n) private pure returns (bytes memory) {
        return abi.encodeWithSelector(TenantLots.HoldsRecalled.selector, from, n);
    }

    function move(address from, address to) private {
        proposeWallet(from, from, to);
        acceptWallet(to, from);
    }

    function proposeCall(address from, address to) private pure returns (bytes memory) {
        return abi.encodeCall(TenantLots.proposeWallet, (from, to));
    }

    function acceptWalletCall(address from) private pure returns (bytes memory) {
        return abi.encodeCall(TenantLots.acceptWallet, (from));
    }
}
