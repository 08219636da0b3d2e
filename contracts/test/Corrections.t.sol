// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {TenantLots} from "../src/TenantLots.sol";
import {TenantTest} from "./support/TenantTest.sol";
import {Vm, vm} from "./support/Vm.sol";

contract CorrectionsTest is TenantTest {
    function test_aVoidGivesBackWhatTheEventTook() public {
        uint256[] memory ids = two(mint(farm, 10), mint(farm, 0));
        TenantLots.Output[] memory outputs = output(farm, 6);
        TenantLots.Header memory header = recordWithHeader(farm, ids, two(4, ALL), outputs);
        undo(farm, header, ids, two(4, ALL), outputs);
        equal(remaining(ids[0]), 10, "given back");
        equal(status(ids[1]), ACTIVE, "the uncounted one too");
        equal(status(header.firstOutputId), RETIRED, "output");
        equal(lots.lotOf(header.firstOutputId).reason, VOIDED, "as voided");
        equal(lots.tokenOfTlc(outputs[0].tlcHash), 0, "code free");
        equal(lots.eventCommitment(header.eventId), bytes32(uint256(1)), "event");
    }

    function test_aConsumedInputIsActiveAgain() public {
        uint256 id = mint(farm, 10);
        TenantLots.Header memory header = recordWithHeader(farm, one(id), one(ALL), nothing());
        undo(farm, header, one(id), one(10), nothing());
        equal(status(id), ACTIVE, "status");
        equal(remaining(id), 10, "remaining");
    }

    function test_aVoidGivesBackNoMoreThanWasTaken() public {
        uint256 id = mint(farm, 10);
        TenantLots.Header memory header = recordWithHeader(farm, one(id), one(4), nothing());
        bytes memory unknown = abi.encodeWithSelector(TenantLots.UnknownEvent.selector, header.eventId);
        refuses(farm, voidCall(header, one(id), one(5), nothing()), unknown);
        header.actor = mill;
        refuses(farm, voidCall(header, one(id), one(4), nothing()), unknown);
    }

    function test_aVoidHappensOnceAndTheEventIdStaysTaken() public {
        TenantLots.Output[] memory outputs = output(farm, 6);
        TenantLots.Header memory header = recordWithHeader(farm, none(), none(), outputs);
        undo(farm, header, none(), none(), outputs);
        refuses(farm, voidCall(header, none(), none(), outputs), abi.encodeWithSelector(TenantLots.UnknownEvent.selector, header.eventId));
        bytes memory again = abi.encodeCall(TenantLots.recordEvent, (header.eventId, PROCESS, none(), none(), outputs, 0, "content"));
        refuses(farm, again, abi.encodeWithSelector(TenantLots.EventExists.selector, header.eventId));
    }

    function test_aCodeTakenByTheWrongOneIsFreeAfterTheVoid() public {
        TenantLots.Output[] memory wrong = output(mill, 1);
        TenantLots.Header memory header = recordWithHeader(mill, none(), none(), wrong);
        TenantLots.Output[] memory right = output(farm, 5);
        right[0].tlcHash = wrong[0].tlcHash;
        refuses(farm, mintCall(right), abi.encodeWithSelector(TenantLots.TlcTaken.selector, wrong[0].tlcHash, header.firstOutputId));
        undo(admin, header, none(), none(), wrong);
        uint256 id = record(farm, none(), none(), right, 0);
        equal(lots.tokenOfTlc(right[0].tlcHash), id, "taken by the right one");
    }

    function test_anOutputThatWasUsedStaysUnlessThatUseIsVoidedFirst() public {
        TenantLots.Output[] memory outputs = output(farm, 6);
        TenantLots.Header memory header = recordWithHeader(farm, none(), none(), outputs);
        uint256 id = header.firstOutputId;
        TenantLots.Header memory later = recordWithHeader(farm, one(id), one(1), nothing());
        refuses(farm, voidCall(header, none(), none(), outputs), touched(id));
        undo(farm, later, one(id), one(1), nothing());
        undo(farm, header, none(), none(), outputs);
        equal(status(id), RETIRED, "voided");
    }

    function test_anOutputThatWasOfferedStays() public {
        TenantLots.Output[] memory outputs = output(farm, 6);
        TenantLots.Header memory header = recordWithHeader(farm, none(), none(), outputs);
        uint256 id = header.firstOutputId;
        cancel(farm, offer(farm, id, mill), id);
        refuses(farm, voidCall(header, none(), none(), outputs), touched(id));
        refuses(admin, voidCall(header, none(), none(), outputs), touched(id));
    }

    function test_anOutputThatTravelledDirectlyStaysThoughItIsBack() public {
        TenantLots.Output[] memory outputs = output(farm, 6);
        TenantLots.Header memory header = recordWithHeader(farm, none(), none(), outputs);
        uint256 id = header.firstOutputId;
        directReceipt(mill, true);
        directReceipt(farm, true);
        transfer(farm, id, mill);
        transfer(mill, id, farm);
        refuses(farm, voidCall(header, none(), none(), outputs), touched(id));
    }

    function test_anOutputThatTravelledInAContainerStaysThoughItIsBack() public {
        TenantLots.Output[] memory outputs = output(farm, 6);
        TenantLots.Header memory header = recordWithHeader(farm, none(), none(), outputs);
        uint256 id = header.firstOutputId;
        uint256 inner = pack(farm, id);
        uint256 outer = pack(farm, inner);
        handOver(farm, outer, mill);
        handOver(mill, outer, farm);
        unpack(farm, outer);
        unpack(farm, inner);
        refuses(farm, voidCall(header, none(), none(), outputs), touched(id));
    }

    function test_anOutputThatWasOnlyPackedAndUnpackedMayGo() public {
        TenantLots.Output[] memory outputs = output(farm, 6);
        TenantLots.Header memory header = recordWithHeader(farm, none(), none(), outputs);
        uint256 box = pack(farm, header.firstOutputId);
        refuses(farm, voidCall(header, none(), none(), outputs), contained(header.firstOutputId, box));
        unpack(farm, box);
        undo(farm, header, none(), none(), outputs);
        equal(status(header.firstOutputId), RETIRED, "voided");
    }

    function test_aWalletMoveIsNoTouch() public {
        TenantLots.Output[] memory outputs = output(farm, 6);
        TenantLots.Header memory header = recordWithHeader(farm, none(), none(), outputs);
        proposeWallet(farm, farm, address(0xFB));
        acceptWallet(address(0xFB), farm);
        undo(admin, header, none(), none(), outputs);
        equal(status(header.firstOutputId), RETIRED, "voided");
    }

    function test_aRecalledOutputCannotBeVoidedAway() public {
        TenantLots.Output[] memory outputs = output(farm, 6);
        TenantLots.Header memory header = recordWithHeader(farm, none(), none(), outputs);
        recall(header.firstOutputId);
        refuses(admin, voidCall(header, none(), none(), outputs), isRecalled(header.firstOutputId));
    }

    function test_othersThanTheHolderCannotVoid() public {
        uint256 id = mint(farm, 10);
        TenantLots.Output[] memory outputs = output(farm, 6);
        TenantLots.Header memory header = recordWithHeader(farm, one(id), one(4), outputs);
        bytes memory call = voidCall(header, one(id), one(4), outputs);
        refuses(mill, call, notCustodian(header.firstOutputId, mill));
        refuses(outsider, call, notAuthorized(outsider, PROCESS));
        TenantLots.Header memory lossOnly = recordWithHeader(farm, one(id), one(1), nothing());
        refuses(mill, voidCall(lossOnly, one(id), one(1), nothing()), notCustodian(id, mill));
    }

    function test_anAdminVoidsWhatNobodyTouched() public {
        uint256 id = mint(farm, 10);
        TenantLots.Output[] memory outputs = output(farm, 6);
        TenantLots.Header memory header = recordWithHeader(farm, one(id), one(4), outputs);
        undo(admin, header, one(id), one(4), outputs);
        equal(remaining(id), 10, "given back");
    }

    function test_anInputThatIsNotAtHandKeepsTheEvent() public {
        uint256 id = mint(farm, 10);
        TenantLots.Header memory header = recordWithHeader(farm, one(id), one(4), nothing());
        uint256 no = offer(farm, id, mill);
        refuses(farm, voidCall(header, one(id), one(4), nothing()), notActive(id, IN_TRANSIT));
        cancel(farm, no, id);
        retire(farm, id, ALL, SOLD);
        refuses(farm, voidCall(header, one(id), one(4), nothing()), notActive(id, RETIRED));
    }

    function test_anObservationIsVoidedByWhoRecordedItOrAnAdmin() public {
        uint256 id = mint(farm, 10);
        TenantLots.Header memory header = recordWithHeader(lab, one(id), one(0), nothing());
        bytes memory call = voidCall(header, one(id), one(0), nothing());
        refuses(mill, call, notAuthorized(mill, PROCESS));
        refuses(farm, call, notAuthorized(farm, PROCESS));
        approveAll(lab, mill, true);
        undo(mill, header, one(id), one(0), nothing());
        header = recordWithHeader(lab, one(id), one(0), nothing());
        undo(lab, header, one(id), one(0), nothing());
        header = recordWithHeader(lab, one(id), one(0), nothing());
        undo(admin, header, one(id), one(0), nothing());
    }

    function test_anEventOfATransferIsVoidedWithoutTheTransfer() public {
        uint256 id = mint(farm, 10);
        TenantLots.EventRef memory e = withEvent();
        vm.prank(farm);
        lots.offerCustody(one(id), mill, e);
        TenantLots.Header memory header = TenantLots.Header(e.eventId, PROCESS, farm, 0, 0, e.dataHash);
        refuses(mill, voidCall(header, one(id), none(), nothing()), notAuthorized(mill, PROCESS));
        undo(farm, header, one(id), none(), nothing());
        equal(status(id), IN_TRANSIT, "still offered");
    }

    function test_packingIsUndoneByUnpackingNotByAVoid() public {
        uint256 id = mint(farm, 10);
        TenantLots.Output[] memory outputs = output(farm, 0);
        bytes32 eventId = fresh();
        vm.prank(farm);
        uint256 box = lots.recordEvent(eventId, PROCESS, one(id), none(), outputs, 1, "content");
        TenantLots.Header memory header = TenantLots.Header(eventId, PROCESS, farm, 1, box, "content");
        refuses(farm, voidCall(header, one(id), none(), outputs), abi.encodeWithSelector(TenantLots.InvalidMode.selector, 1));
    }

    function test_anAmendmentIsAnEventOfItsOwn() public {
        uint256 id = mint(farm, 10);
        TenantLots.Header memory header = recordWithHeader(farm, one(id), one(4), nothing());
        TenantLots.EventRef memory e = withEvent();
        vm.recordLogs();
        vm.prank(farm);
        lots.amendEvent(header.eventId, e);
        Vm.Log[] memory logs = vm.getRecordedLogs();
        equal(logs[0].topics[1], e.eventId, "recorded");
        equal(logs[1].topics[0], TenantLots.EventAmended.selector, "and said to amend");
        equal(logs[1].topics[1], header.eventId, "the first");
        equal(logs[1].topics[2], e.eventId, "by the second");
        equal(logs[1].topics[3], bytes32(uint256(uint160(farm))), "who says so");
        equal(remaining(id), 6, "what it did stays done");
    }
}
