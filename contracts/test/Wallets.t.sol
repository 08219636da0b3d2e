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

    function test_rolesAreGrantedAnewAndTheLogSaysSo() public {
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
