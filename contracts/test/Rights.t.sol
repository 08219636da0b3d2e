// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {TenantLots} from "../src/TenantLots.sol";
import {TenantRegistry} from "../src/TenantRegistry.sol";
import {TenantTest} from "./support/TenantTest.sol";
import {vm} from "./support/Vm.sol";

/// Every function that changes something, called by everybody: first by those who have no right to it, who are refused, then, with the very
/// same words, by who has. artifacts.spec.ts holds the list against the ABI.
contract RightsTest is TenantTest {
    address private constant recaller = address(0x4EC);
    address[8] private people = [admin, farm, mill, shop, recycler, lab, outsider, recaller];

    function setUp() public override {
        super.setUp();
        grant(recaller, RECALLER);
        // Of a new tenant's admin the rights to record and recall are taken, so that what is left is the administrator alone.
        grant(admin, 1);
    }

    function test_recordingIsForOperatorsOfTheProcessAndHoldersOfTheLots() public {
        bytes memory another = abi.encodeCall(lots.recordEvent, (fresh(), "ANOTHER", none(), none(), output(farm, 5), 0, "content"));
        refusesAll(another, list(farm, mill, shop, recycler));
        refusesAll(mintCall(output(farm, 5)), list(farm, mill, shop, recycler, lab));
        uint256 id = mint(farm, 5);
        onlyFor(farm, useCall(id, 1));
        onlyFor(farm, recordCall(one(id), none(), output(farm, 0), 1));
        onlyFor(farm, unpackCall(id + 1));
    }

    function test_correctingIsForHoldersAndAdminsOrOperatorsOfTheProcess() public {
        TenantLots.Output[] memory made = output(farm, 5);
        TenantLots.Header memory header = recordWithHeader(farm, none(), none(), made);
        refusesAll(voidCall(header, none(), none(), made), list(farm, admin));
        allows(farm, voidCall(header, none(), none(), made));
        refusesAll(abi.encodeCall(lots.amendEvent, (header.eventId, withEvent())), list(farm, mill, shop, recycler, lab));
    }

    function test_custodyIsForHoldersAndReceivers() public {
        uint256 id = mint(farm, 5);
        onlyFor(farm, offerCall(id, mill));
        onlyFor(mill, rejectCall(1, id));
        allows(farm, offerCall(id, mill));
        onlyFor(farm, cancelCall(2, id));
        allows(farm, offerCall(id, mill));
        onlyFor(mill, acceptCall(3, id));
        onlyFor(mill, retireCall(id, 1, SOLD));
    }

    function test_partsAreForHoldersAndReceivers() public {
        uint256 id = mint(farm, 5);
        onlyFor(farm, offerPartCall(id, 3, mill));
        onlyFor(mill, acceptPartCall(1, id + 1, 2, 1));
        onlyFor(mill, acceptCall(offerPart(farm, id, ALL, mill), id));
    }

    function test_transfersAndApprovalsOfAnErc721AreForHoldersToWhoAgreed() public {
        (uint256 a, uint256 b, uint256 c) = (mint(farm, 5), mint(farm, 5), mint(farm, 5));
        refusesAll(transferCall(farm, shop, a), list());
        directReceipt(shop, true);
        onlyFor(farm, abi.encodeCall(lots.approve, (address(0), a)));
        onlyFor(farm, transferCall(farm, shop, a));
        onlyFor(farm, abi.encodeWithSignature("safeTransferFrom(address,address,uint256)", farm, shop, b));
        onlyFor(farm, abi.encodeWithSignature("safeTransferFrom(address,address,uint256,bytes)", farm, shop, c, ""));
    }

    function test_recallsAreForRecallersAndAdminsAndLiftingForAdmins() public {
        (uint256 a, uint256 b) = (mint(farm, 5), mint(farm, 5));
        refusesAll(abi.encodeCall(lots.recall, (a, WHY)), list(admin, recaller));
        allows(recaller, abi.encodeCall(lots.recall, (a, WHY)));
        refusesAll(abi.encodeCall(lots.recallMany, (one(b), WHY)), list(admin, recaller));
        allows(recaller, abi.encodeCall(lots.recallMany, (one(b), WHY)));
        onlyFor(admin, abi.encodeCall(lots.liftRecall, (two(a, b), WHY)));
    }

    function test_administrationIsForAdmins() public {
        onlyFor(admin, abi.encodeCall(lots.setRoles, (outsider, OPERATOR)));
        bytes32[] memory processes = new bytes32[](1);
        onlyFor(admin, abi.encodeCall(lots.setProcessScope, (outsider, processes, true)));
        onlyFor(admin, abi.encodeCall(lots.pause, (block.timestamp + 1)));
        refusesAll(abi.encodeCall(lots.initialize, ("t", "T", outsider, 1)), list());
    }

    function test_aWalletMovesForItsHolderOrAnAdminAndIsTakenByTheProposedOne() public {
        mint(farm, 5);
        address next = address(0xF2);
        refusesAll(abi.encodeCall(lots.proposeWallet, (farm, next)), list(farm, admin));
        allows(farm, abi.encodeCall(lots.proposeWallet, (farm, next)));
        refusesAll(abi.encodeCall(lots.acceptWallet, (farm)), list());
        // What others veto is their own proposal, and they have none.
        vm.prank(outsider);
        lots.vetoWallet();
        allows(next, abi.encodeCall(lots.acceptWallet, (farm)));
    }

    function test_whatAnybodyMayDoIsOfTheirOwnAffairs() public {
        uint256 id = mint(farm, 5);
        uint256 before = lots.lotWord(id);
        vm.prank(outsider);
        lots.setApprovalForAll(outsider, true);
        vm.prank(outsider);
        lots.setDirectReceipt(true);
        vm.prank(outsider);
        lots.settle(one(id));
        require(lots.lotWord(id) == before, "another's lot was changed");
        refusesAll(useCall(id, 1), list(farm));
        refusesAll(transferCall(farm, outsider, id), list(farm));
    }

    function test_theRegistryIsForItsOwner() public {
        address implementation = address(new TenantLots());
        bytes[3] memory calls = [
            abi.encodeCall(registry.publish, (implementation)),
            abi.encodeCall(registry.createTenant, ("another", "Another", admin)),
            abi.encodeCall(registry.createSuccessor, ("tenant", "Tenant", admin, 1 << 46))
        ];
        for (uint256 i; i < calls.length; ++i) {
            for (uint256 j; j < people.length; ++j) {
                vm.prank(people[j]);
                (bool ok,) = address(registry).call(calls[i]);
                require(!ok, "not the owner, and let in");
            }
            (bool done,) = address(registry).call(calls[i]);
            require(done, "the owner was refused");
        }
    }

    // ------------------------------------------------------------------------------------------------------- words

    function onlyFor(address rightful, bytes memory call) private {
        refusesAll(call, list(rightful));
        allows(rightful, call);
    }

    function allows(address by, bytes memory call) private {
        vm.prank(by);
        (bool ok, bytes memory why) = address(lots).call(call);
        require(ok, string.concat("refused: ", vm.toString(why)));
    }

    /// Everybody but those, by what the contract says of rights.
    function refusesAll(bytes memory call, address[] memory but) private {
        for (uint256 i; i < people.length; ++i) {
            if (isIn(but, people[i])) continue;
            vm.prank(people[i]);
            (bool ok,) = address(lots).call(call);
            require(!ok, string.concat("let in: ", vm.toString(abi.encode(people[i]))));
        }
    }

    function isIn(address[] memory among, address one_) private pure returns (bool) {
        for (uint256 i; i < among.length; ++i) {
            if (among[i] == one_) return true;
        }
        return false;
    }

    function list() private pure returns (address[] memory) {
        return new address[](0);
    }

    function list(address a) private pure returns (address[] memory r) {
        r = new address[](1);
        r[0] = a;
    }

    function list(address a, address b) private pure returns (address[] memory r) {
        r = new address[](2);
        (r[0], r[1]) = (a, b);
    }

    function list(address a, address b, address c, address d) private pure returns (address[] memory r) {
        r = new address[](4);
        (r[0], r[1], r[2], r[3]) = (a, b, c, d);
    }

    function list(address a, address b, address c, address d, address e) private pure returns (address[] memory r) {
        r = new address[](5);
        (r[0], r[1], r[2], r[3], r[4]) = (a, b, c, d, e);
    }
}
