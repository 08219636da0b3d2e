// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {TenantLots} from "../src/TenantLots.sol";
import {TenantTest} from "./support/TenantTest.sol";
import {Vm, vm} from "./support/Vm.sol";

contract RetireTest is TenantTest {
    function test_aPartialRetirementLeavesTheRest() public {
        uint256 id = mint(farm, 10);
        retire(farm, id, 4, SOLD);
        equal(status(id), ACTIVE, "status");
        equal(remaining(id), 6, "remaining");
        equal(lots.lotOf(id).reason, 0, "no reason yet");
    }

    function test_aRetiredLotKeepsWhatItHad() public {
        uint256 whole = mint(farm, 10);
        retire(farm, whole, ALL, DESTROYED);
        equal(remaining(whole), 10, "by ALL");
        uint256 byNumber = mint(farm, 10);
        retire(farm, byNumber, 10, DESTROYED);
        equal(status(byNumber), RETIRED, "by its number");
        equal(remaining(byNumber), 10, "remaining");
        equal(lots.lotOf(byNumber).reason, DESTROYED, "reason");
    }

    function test_nothingLeavesRetirement() public {
        uint256 id = mint(farm, 10);
        retire(farm, id, ALL, SOLD);
        bytes memory why = notActive(id, RETIRED);
        refuses(farm, useCall(id, 1), why);
        refuses(farm, packCall(id, farm), why);
        refuses(farm, offerCall(id, mill), why);
        refuses(farm, retireCall(id, ALL, DISPOSED), why);
    }

    function test_noMoreThanRemainsAndNotNothing() public {
        uint256 id = mint(farm, 10);
        refuses(farm, retireCall(id, 11, SOLD), abi.encodeWithSelector(TenantLots.OverConsumption.selector, id, 10, 11));
        refuses(farm, retireCall(id, 0, SOLD), abi.encodeWithSelector(TenantLots.OverConsumption.selector, id, 10, 0));
    }

    function test_anUncountedLotIsRetiredWhole() public {
        uint256 id = mint(farm, 0);
        refuses(farm, retireCall(id, 1, SOLD), abi.encodeWithSelector(TenantLots.Uncounted.selector, id));
        vm.recordLogs();
        retire(farm, id, ALL, SOLD);
        bytes memory data = vm.getRecordedLogs()[0].data;
        equal(keccak256(data), keccak256(abi.encode(one(id), one(ALL), bytes32(0))), "the log says ALL");
    }

    function test_onlyTheHolderAndItsColleaguesRetire() public {
        uint256 id = mint(farm, 10);
        refuses(mill, retireCall(id, ALL, SOLD), notCustodian(id, mill));
        approveAll(farm, outsider, true);
        retire(outsider, id, ALL, SOLD);
        equal(status(id), RETIRED, "by a colleague without a role");
    }

    function test_aDisposalIsARetirementWithItsEvent() public {
        uint256 id = mint(farm, 10);
        TenantLots.EventRef memory e = withEvent();
        vm.recordLogs();
        vm.prank(farm);
        lots.retire(one(id), one(ALL), DISPOSED, e);
        Vm.Log[] memory logs = vm.getRecordedLogs();
        equal(logs.length, 2, "EventRecorded, LotsRetired");
        equal(logs[1].topics[2], bytes32(uint256(DISPOSED)), "reason");
        equal(logs[1].topics[3], e.eventId, "event");
        equal(keccak256(logs[1].data), keccak256(abi.encode(one(id), one(10), e.dataHash)), "with the resolved quantity");
    }
}
