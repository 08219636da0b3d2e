// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {TenantLots} from "../src/TenantLots.sol";
import {TenantTest} from "./support/TenantTest.sol";
import {Vm, vm} from "./support/Vm.sol";

contract RecallTest is TenantTest {
    function test_aRecalledLotIsNotUsedPackedOfferedOrSold() public {
        uint256 id = mint(farm, 5);
        recall(id);
        equal(status(id), RECALLED, "status");
        equal(lots.lotOf(id).rawStatus, ACTIVE, "raw status");
        refuses(farm, useCall(id, 1), isRecalled(id));
        refuses(farm, packCall(id, farm), isRecalled(id));
        refuses(farm, offerCall(id, mill), isRecalled(id));
        refuses(farm, retireCall(id, ALL, SOLD), isRecalled(id));
    }

    function test_aRecalledLotLeavesDisposedDestroyedLostOrSampledOnly() public {
        for (uint8 reason = 1; reason <= 9; ++reason) {
            if (reason == VOIDED || reason == UNPACKED) continue;
            uint256 id = mint(farm, 5);
            recall(id);
            if (reason >= 2 && reason <= 5) {
                retire(farm, id, ALL, reason);
                equal(status(id), RETIRED, "retired");
            } else {
                refuses(farm, retireCall(id, ALL, reason), isRecalled(id));
            }
        }
    }

    function test_lotsAreRecalledInEveryState() public {
        uint256 sold = mint(farm, 5);
        retire(farm, sold, ALL, SOLD);
        uint256 used = mint(farm, 5);
        use(farm, used, ALL);
        recall(sold);
        recall(used);
        equal(status(sold), RETIRED, "retired comes first");
        require(lots.lotOf(sold).recalled, "but recalled it is");
        equal(status(used), RECALLED, "consumed");
    }

    function test_aContainerIsMarkedAllTheWayUp() public {
        uint256 id = mint(farm, 5);
        uint256 inner = pack(farm, id);
        uint256 outer = pack(farm, inner);
        recall(id);
        require(lots.lotOf(inner).holdsRecalled && lots.lotOf(outer).holdsRecalled, "both hold it");
        equal(status(outer), ACTIVE, "not recalled itself");
        refuses(farm, offerCall(outer, mill), isRecalled(outer));
        refuses(farm, packCall(outer, farm), isRecalled(outer));
        refuses(farm, retireCall(outer, ALL, SOLD), isRecalled(outer));
    }

    function test_aSoldContainerIsMarkedToo() public {
        uint256 id = mint(farm, 5);
        uint256 box = pack(farm, id);
        retire(farm, box, ALL, SOLD);
        recall(id);
        require(lots.lotOf(box).holdsRecalled, "holds it");
    }

    function test_aBrokenContainerIsNotMarked() public {
        uint256 id = mint(farm, 5);
        uint256 box = pack(farm, id);
        unpack(farm, box);
        recall(id);
        require(!lots.lotOf(box).holdsRecalled, "it holds nothing any more");
        require(lots.lotOf(id).recalled, "recalled");
    }

    function test_aContainerInWhichSomethingWasRecalledOnTheWayIsTakenByWhoHasReturnsOnly() public {
        uint256 id = mint(farm, 5);
        uint256 box = pack(farm, id);
        uint256 no = offer(farm, box, mill);
        recall(id);
        refuses(mill, acceptCall(no, box), isRecalled(box));
        reject(mill, no, box);
        no = offer(farm, box, recycler);
        grant(recycler, OPERATOR_ALL);
        refuses(recycler, acceptCall(no, box), isRecalled(box));
        grant(recycler, OPERATOR_ALL | RETURNS);
        accept(recycler, no, box);
        equal(lots.custodianOf(id), recycler, "back");
    }

    function test_siblingsAreFreeOnceTheContainerIsBroken() public {
        uint256 bad = mint(farm, 5);
        uint256 good = mint(farm, 5);
        uint256 box = pack(farm, two(bad, good));
        recall(bad);
        unpack(farm, box);
        use(farm, good, 1);
        refuses(farm, useCall(bad, 1), isRecalled(bad));
    }

    function test_aRecalledContainerCanBeBrokenAndItsContentsUsed() public {
        uint256 id = mint(farm, 5);
        uint256 box = pack(farm, id);
        recall(box);
        unpack(farm, box);
        use(farm, id, 1);
        equal(remaining(id), 4, "used");
    }

    function test_recallManyPassesOverWhatIsRecalledAndSaysWhatWasNot() public {
        uint256 a = mint(farm, 1);
        uint256 b = mint(farm, 1);
        recall(a);
        vm.recordLogs();
        vm.prank(admin);
        lots.recallMany(two(a, b), WHY);
        Vm.Log[] memory logs = vm.getRecordedLogs();
        equal(logs.length, 1, "one log");
        equal(keccak256(logs[0].data), keccak256(abi.encode(one(b))), "the new one only");
        vm.prank(admin);
        lots.recallMany(two(a, b), WHY);
        equal(vm.getRecordedLogs().length, 0, "nothing new, nothing said");
    }

    function test_aRecallerRecallsButDoesNotLift() public {
        uint256 id = mint(farm, 1);
        grant(lab, RECALLER);
        vm.prank(lab);
        lots.recall(id, WHY);
        refuses(lab, abi.encodeCall(TenantLots.liftRecall, (one(id), WHY)), notAuthorized(lab, 0));
        liftRecall(id);
        use(farm, id, 1);
        equal(status(id), CONSUMED, "usable again");
    }

    function test_aLiftLeavesTheMarkOnContainersUntilTheyAreBroken() public {
        uint256 id = mint(farm, 1);
        uint256 box = pack(farm, id);
        recall(id);
        liftRecall(id);
        refuses(farm, offerCall(box, mill), isRecalled(box));
        unpack(farm, box);
        use(farm, id, 1);
        equal(status(id), CONSUMED, "usable again");
    }
}
